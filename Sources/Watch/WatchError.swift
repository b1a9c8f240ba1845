package import Clocks
package import Files
package import Problems
package import Transfers

/// Why the watch, or a receiver of what it tells, did not do its part.
package enum WatchError: Explained, Equatable {
    /// Another watch holds the home's `watch.lock`.
    case busy
    case webhookAnswered(status: Int)
    case webhookUnreachable(TransferError)
    case heartbeatAnswered(status: Int)
    case heartbeatUnreachable(TransferError)
    /// A file that a setting of alerts names cannot be read.
    case fileUnreadable(setting: String, FileError)
    /// A setting names a credential that systemd has not handed over.
    case credentialMissing(setting: String, name: String)
    /// A password or a secret of no bytes.
    case secretEmpty(setting: String)
    /// Deliveries that failed before are owed, and not tried again yet.
    case waiting(channel: String, count: Int, until: Timestamp)
    /// `alerts.textfile` lies in the home.
    case textfileInHome(_ path: String)
    /// `alerts.textfile` is a file that purser reads: a key, a password, a secret, its settings.
    case textfileInUse(_ path: String)
    /// What stands at `alerts.textfile` was not written by the watch.
    case textfileForeign(_ path: String)
    /// The owners of a merchant could not be read, so that they hear of nothing.
    case ownersUnknown(merchant: String, why: String)

    package var code: String {
        switch self {
        case .busy: "watch.busy"
        case .webhookAnswered: "alert.webhook-refused"
        case .webhookUnreachable: "alert.webhook-unreachable"
        case .heartbeatAnswered: "heartbeat.refused"
        case .heartbeatUnreachable: "heartbeat.unreachable"
        case .fileUnreadable: "alert.file-unreadable"
        case .credentialMissing: "alert.credential-missing"
        case .secretEmpty: "alert.secret-empty"
        case .waiting: "alert.waiting"
        case .textfileInHome: "alert.textfile-in-home"
        case .textfileInUse: "alert.textfile-in-use"
        case .textfileForeign: "alert.textfile-foreign"
        case .ownersUnknown: "alert.owners-unknown"
        }
    }

    package var summary: String {
        switch self {
        case .busy: "another watch of this home is under way"
        case .webhookAnswered(let status): "the webhook answered with status \(status)"
        case .webhookUnreachable(let reason): "no webhook: \(reason.summary)"
        case .heartbeatAnswered(let status):
            "the heartbeat's receiver answered with status \(status)"
        case .heartbeatUnreachable(let reason): "no heartbeat: \(reason.summary)"
        case .fileUnreadable(let setting, let reason): "\(setting): \(reason.summary)"
        case .credentialMissing(let setting, let name):
            "\(setting) names the credential \(name), which systemd has not handed over"
        case .secretEmpty(let setting): "\(setting) leads to nothing but an empty line"
        case .waiting(let channel, let count, let until):
            "\(channel) has not taken \(count) thing\(count == 1 ? "" : "s"); tried again from \(until)"
        case .textfileInHome(let path): "alerts.textfile lies inside the home: \(path.suffix(60))"
        case .textfileInUse(let path):
            "alerts.textfile is a file that purser itself reads: \(path.suffix(50))"
        case .textfileForeign(let path):
            "alerts.textfile names a file that the watch has not written: \(path.suffix(50))"
        case .ownersUnknown(let merchant, let why):
            "owners of \(merchant.suffix(40)) are not told: \(why.prefix(55))"
        }
    }

    package var remedy: String {
        switch self {
        case .busy: "nothing: it tells what there is to tell; or run it again later"
        case .webhookAnswered(let status) where status / 100 == 3:
            "give the address itself in alerts.webhook.url: redirections are not followed"
        case .webhookAnswered:
            "check alerts.webhook.url and the secret that its receiver has; it is tried again"
        case .heartbeatAnswered: "check alerts.heartbeat.url; it is tried again at the next run"
        case .webhookUnreachable(let reason), .heartbeatUnreachable(let reason): reason.remedy
        case .fileUnreadable(_, let reason): reason.remedy
        case .credentialMissing(_, let name):
            "add LoadCredential=\(name):FILE to the unit; by hand, name a file in the setting instead"
        case .secretEmpty: "write the password or the secret into the file, on one line"
        case .waiting: "see why: purser alert list"
        case .textfileInHome, .textfileInUse:
            "set alerts.textfile to a file of its own, in node_exporter's textfile folder"
        case .textfileForeign:
            "set alerts.textfile to another file, or move away what is in its place"
        case .ownersUnknown: "see what is wrong with the record: purser doctor"
        }
    }

    package var nature: Nature {
        switch self {
        case .busy, .textfileInHome, .textfileInUse, .textfileForeign, .ownersUnknown: .unavailable
        case .webhookAnswered, .heartbeatAnswered: .refused
        case .webhookUnreachable(let reason), .heartbeatUnreachable(let reason): reason.nature
        // The rest of the watch goes on: somebody could not be told.
        case .fileUnreadable, .credentialMissing, .secretEmpty, .waiting: .unavailable
        }
    }

    package var cause: (any Error)? {
        switch self {
        case .webhookUnreachable(let reason), .heartbeatUnreachable(let reason): reason
        case .fileUnreadable(_, let reason): reason
        case .busy, .webhookAnswered, .heartbeatAnswered, .credentialMissing, .secretEmpty,
            .waiting, .textfileInHome, .textfileInUse, .textfileForeign, .ownersUnknown:
            nil
        }
    }

    package static var examples: [WatchError] {
        [
            .busy, .webhookAnswered(status: 500), .webhookAnswered(status: 302),
            .webhookUnreachable(.connectionRefused(host: "hooks.example")),
            .heartbeatAnswered(status: 404),
            .heartbeatUnreachable(.nameNotResolved(host: "alive.example")),
            .fileUnreadable(setting: "alerts.mail.passwordFile", .notFound("/etc/mail.password")),
            .credentialMissing(setting: "alerts.webhook.secretFile", name: "webhook-secret"),
            .secretEmpty(setting: "alerts.mail.passwordFile"),
            .waiting(channel: "webhook", count: 2, until: Timestamp(seconds: 1_800_000_000)),
            .textfileInHome("/var/lib/purser/purser.db"),
            .textfileInUse("/etc/purser/master.key"), .textfileForeign("/srv/notes.txt"),
            .ownersUnknown(
                merchant: "merchant.com.example.shop",
                why: "the database has an unreadable value in owners"),
        ]
    }
}
