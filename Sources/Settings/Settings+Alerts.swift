extension Settings {
    /// Whom to tell of what the watch finds, and how; nothing by default.
    package struct Alerts: Sendable, Equatable {
        package var mail = Mail()
        package var webhook = Webhook()
        /// A file in Prometheus's text form; none.
        package var textfile: String?
        package var heartbeat = Heartbeat()

        /// Alerts by mail.
        package struct Mail: Sendable, Equatable {
            /// `smtps://HOST[:PORT]` or `smtp://HOST[:PORT]`; none: no mail.
            package var server: String?
            /// Whether TLS is demanded: always, but for a server on this machine.
            package var encryption = Encryption.tls
            /// The sender.
            package var from: String?
            /// A user at the server, and the file with the password, or `credential:NAME`; none: no
            /// login.
            package var user: String?
            package var passwordFile: String?
            /// Who gets every alert, beside the merchants' owners.
            package var security: [String] = []
            /// Roots that the server is verified to, PEM; none: the machine's.
            package var caFile: String?
        }

        /// How the way to a mail server is protected.
        package enum Encryption: String, Sendable, CaseIterable {
            /// From the first byte (`smtps://`), or by STARTTLS (`smtp://`).
            case tls
            /// Not at all; for `smtp://` on a loopback address alone.
            case none
        }

        /// Alerts by POST.
        package struct Webhook: Sendable, Equatable {
            /// An `https://` address, or `http://` on this machine; none: no webhook.
            package var url: String?
            /// The file with the secret that signs, or `credential:NAME`; none: no signature.
            package var secretFile: String?
            /// As ``Mail/caFile``.
            package var caFile: String?
        }

        /// Whether anybody is told anything.
        package var areConfigured: Bool {
            mail.server != nil || webhook.url != nil || heartbeat.url != nil || textfile != nil
        }

        /// The name behind `credential:`, of a file that systemd hands over; nil for a path.
        package static func credential(in value: String) -> String? {
            let mark = "credential:"
            return value.hasPrefix(mark) ? String(value.dropFirst(mark.count)) : nil
        }

        /// A sign of life after each round of the watch.
        package struct Heartbeat: Sendable, Equatable {
            /// An `https://` address, or `http://` on this machine; none: no heartbeat.
            package var url: String?
            /// As ``Mail/caFile``.
            package var caFile: String?
        }
    }

    /// The watch.
    package struct Watch: Sendable, Equatable {
        /// Seconds between rounds of `purser watch` without `--once`: an hour.
        package var everySeconds = 3_600
        /// Seconds between rounds within `purser serve`: 0, none.
        package var inServe = 0
        /// Hours after which an identity in use is rehearsed again: 24; 0 is never.
        package var rehearseHours = 24
        /// Hours after which the site of a domain is looked at again; 0 for never.
        package var domainHours = 24
    }

    /// Alerts that could reach nobody as they are set.
    var alertContradictions: [SettingFault] {
        var found: [SettingFault] = []
        func refuse(_ what: String, if holds: Bool) {
            if holds { found.append(.contradiction(what)) }
        }
        let mail = alerts.mail
        refuse(
            "alerts.mail.server is set, and alerts.mail.from is not",
            if: mail.server != nil && mail.from == nil)
        let others =
            mail.from != nil || mail.user != nil || !mail.security.isEmpty || mail.caFile != nil
        refuse(
            "alerts.mail.server is not set, and other settings of alerts.mail are",
            if: mail.server == nil && (others || mail.passwordFile != nil))
        refuse(
            "alerts.mail.user is set, and alerts.mail.passwordFile is not",
            if: mail.user != nil && mail.passwordFile == nil)
        refuse(
            "alerts.mail.passwordFile is set, and alerts.mail.user is not",
            if: mail.user == nil && mail.passwordFile != nil)
        refuse(
            "alerts.mail.encryption is none, and alerts.mail.server begins with smtps://",
            if: mail.encryption == .none && mail.server?.hasPrefix("smtps:") == true)
        refuse(
            "alerts.webhook.url is not set, and other settings of alerts.webhook are",
            if: alerts.webhook.url == nil
                && (alerts.webhook.secretFile != nil || alerts.webhook.caFile != nil))
        refuse(
            "alerts.heartbeat.caFile is set, and alerts.heartbeat.url is not",
            if: alerts.heartbeat.url == nil && alerts.heartbeat.caFile != nil)
        return found
    }
}
