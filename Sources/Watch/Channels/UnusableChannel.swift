package import Merchants
package import Problems

/// A channel that cannot be used as it is set up, such as one whose secret cannot be read.
///
/// Its receivers are those that it would have, and every try to tell them fails: so what they have
/// missed is on record, and told once somebody has mended it. The other channels go on.
package struct UnusableChannel: AlertChannel {
    package let sort: String
    package let batch = 1
    private let everybody: [String]
    private let reason: any Explained

    /// A mail channel: owners and `security` would be told.
    package static func mail(
        security: [String], because reason: any Explained
    ) -> UnusableChannel {
        UnusableChannel(sort: "mail", everybody: security, reason: reason)
    }

    /// A webhook.
    package static func webhook(because reason: any Explained) -> UnusableChannel {
        UnusableChannel(sort: "webhook", everybody: [], reason: reason)
    }

    private init(sort: String, everybody: [String], reason: any Explained) {
        self.sort = sort
        self.everybody = everybody
        self.reason = reason
    }

    package var fault: (any Explained)? { reason }

    package func receivers(of alert: Alert, owners: [String]) -> [String] {
        sort == "webhook"
            ? WebhookChannel.receivers
            : MailChannel.receivers(owners: owners, security: everybody)
    }

    package func tell(_ tidings: [Tiding], to receiver: String) async throws(Untold) {
        throw Untold(reason, concernsChannel: true)
    }
}
