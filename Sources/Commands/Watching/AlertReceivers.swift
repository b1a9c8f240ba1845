import Files
import Secrets
import Settings
import Transfers
import Watch

/// Whom the settings name to be told of alerts, ready to be told.
struct AlertReceivers: Sendable {
    let channels: [any AlertChannel]
    let textfile: AlertTextfile?
    let heartbeat: Heartbeat?
    /// To be closed when all is told.
    private let pools: [ConnectionPool]

    func close() {
        for pool in pools { pool.close() }
    }
}

extension AlertReceivers {
    /// Reads the files that the settings of alerts name, as the home's owner.
    ///
    /// What cannot be read is the failure of its channel, or of the heartbeat, and of nothing else.
    init(_ settings: Settings.Alerts, _ files: AlertFiles, on loop: TransferLoop) async {
        var channels: [any AlertChannel] = []
        var pools: [ConnectionPool] = []
        if let mail = await Self.mail(settings.mail, files) { channels.append(mail) }
        if let url = settings.webhook.url {
            do {
                let secret = try await files.secret(.webhookSecret)
                let pool = loop.pool(try await files.pool(for: url, .webhookCA))
                pools.append(pool)
                channels.append(WebhookChannel(url: url, secret: secret, pool: pool))
            } catch {
                channels.append(UnusableChannel.webhook(because: error))
            }
        }
        var heartbeat: Heartbeat?
        if let url = settings.heartbeat.url {
            do {
                let pool = loop.pool(try await files.pool(for: url, .heartbeatCA))
                pools.append(pool)
                heartbeat = Heartbeat(url: url, pool: pool)
            } catch {
                heartbeat = Heartbeat(url: url, unusable: error)
            }
        }
        self.init(
            channels: channels, textfile: settings.textfile.map { AlertTextfile(path: $0) },
            heartbeat: heartbeat, pools: pools)
    }

    private static func mail(
        _ settings: Settings.Alerts.Mail, _ files: AlertFiles
    ) async -> (any AlertChannel)? {
        guard let url = settings.server, let sender = settings.from else { return nil }
        do {
            var server = try MailServer(url, isPlain: settings.encryption == .none)
            let password = try await files.secret(.mailPassword)
            if let user = settings.user, let password {
                server.login = .init(user: user, password: password)
            }
            server.trust = try await files.trust(.mailCA)
            return MailChannel(
                server: server, sender: try MailAddress(sender), security: settings.security)
        } catch let error as MailError {
            return UnusableChannel.mail(security: settings.security, because: error)
        } catch let error as WatchError {
            return UnusableChannel.mail(security: settings.security, because: error)
        } catch {
            return nil
        }
    }
}
