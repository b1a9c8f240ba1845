import Files
import Secrets
import Settings
import Transfers
import Vault
import Watch

/// Whom the settings name to be told of alerts, ready to be told.
struct AlertReceivers: Sendable {
    let channels: [any AlertChannel]
    let textfile: AlertTextfile?
    let heartbeat: Heartbeat?
}

extension Invocation {
    /// Reads the files that the settings of alerts name, as the home's owner.
    ///
    /// A file with a password or a secret must be closed to others, or be a systemd credential.
    ///
    /// - Throws: ``MailError`` for a server or an address that cannot be used, ``FileError``.
    func alertReceivers(
        _ settings: Settings.Alerts, on loop: TransferLoop
    ) async throws -> AlertReceivers {
        var channels: [any AlertChannel] = []
        if let mail = try await mailChannel(settings.mail) { channels.append(mail) }
        if let url = settings.webhook.url {
            channels.append(
                WebhookChannel(
                    url: url, secret: try await secret(in: settings.webhook.secretFile),
                    pool: loop.pool(try await plainPool(settings.webhook.caFile))))
        }
        var heartbeat: Heartbeat?
        if let url = settings.heartbeat.url {
            heartbeat = Heartbeat(
                url: url, pool: loop.pool(try await plainPool(settings.heartbeat.caFile)))
        }
        return AlertReceivers(
            channels: channels, textfile: settings.textfile.map { AlertTextfile(path: $0) },
            heartbeat: heartbeat)
    }

    private func mailChannel(_ settings: Settings.Alerts.Mail) async throws -> MailChannel? {
        guard let url = settings.server, let sender = settings.from else { return nil }
        var server = try MailServer(url, isPlain: settings.encryption == .none)
        if let user = settings.user, let password = try await secret(in: settings.passwordFile) {
            server.login = .init(user: user, password: password)
        }
        server.trust = try await trust(in: settings.caFile)
        return MailChannel(
            server: server, sender: try MailAddress(sender), security: settings.security)
    }

    private func plainPool(_ caFile: String?) async throws -> PoolConfiguration {
        var configuration = PoolConfiguration(identity: nil, trust: try await trust(in: caFile))
        configuration.maximumConnections = 2
        return configuration
    }

    private func trust(in file: String?) async throws -> ServerTrust {
        guard let file else { return .systemBundle }
        let path = context.absolute(file)
        return .bundle(pem: try await onOwnThread { try InputFile.read(path, limit: 1 << 20) })
    }

    private func secret(in file: String?) async throws -> SecretBytes? {
        guard let file else { return nil }
        let path = context.absolute(file)
        let isExempt = isCredential(path)
        return strippingLineEnd(
            try await onOwnThread {
                try InputFile.readSecret(path, limit: 4_096, exempt: isExempt)
            })
    }
}
