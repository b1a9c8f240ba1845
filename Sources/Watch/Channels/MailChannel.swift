import Clocks
package import Merchants
import PKI
package import Transfers

/// Alerts by mail: one mail a run for each address that has something to hear.
///
/// A merchant's owners get what concerns it; the addresses of `alerts.mail.security` get everything.
package struct MailChannel: AlertChannel {
    package let sort = "mail"
    /// More than a person reads in one mail.
    package let batch = 200

    private let session: MailSession
    private let sender: MailAddress
    private let security: [String]

    /// Hands its mails in at `server`, from `sender`.
    package init(server: MailServer, sender: MailAddress, security: [String]) {
        session = MailSession(server)
        self.sender = sender
        self.security = security
    }

    package func receivers(of alert: Alert, owners: [String]) -> [String] {
        Self.receivers(owners: owners, security: security)
    }

    static func receivers(owners: [String], security: [String]) -> [String] {
        var seen: Set<String> = []
        // An owner may be of the security staff: one mail is enough.
        return (owners + security).filter { seen.insert($0).inserted }.map { "mail:\($0)" }
    }

    package func tell(_ tidings: [Tiding], to receiver: String) async throws(Untold) {
        do throws(MailError) {
            let recipient = try MailAddress(String(receiver.dropFirst(sort.count + 1)))
            let message = AlertMail(tidings, from: sender, to: recipient).message
            try await session.send(
                MailEnvelope(sender: sender, recipient: recipient, message: message.bytes))
        } catch {
            throw Untold(
                error, concernsChannel: error.concernsServer, isCancelled: error == .cancelled)
        }
    }

    package func close() async {
        await session.close()
    }
}

/// What a mail of several tidings says.
struct AlertMail {
    let message: InternetMessage

    init(_ tidings: [Tiding], from sender: MailAddress, to recipient: MailAddress) {
        // What is worst first, and what is over last.
        let sorted = tidings.enumerated().sorted { one, other in
            let left = Self.rank(one.element)
            let right = Self.rank(other.element)
            return left != right ? left < right : one.offset < other.offset
        }.map(\.element)
        let first = sorted.first?.headline ?? ""
        let more = sorted.count > 1 ? " (and \(sorted.count - 1) more)" : ""
        let ids = sorted.map(\.id).joined(separator: " ") + " \(recipient)"
        let host = sender.text.split(separator: "@").last ?? "localhost"
        message = InternetMessage(
            from: sender.text, to: recipient.text, subject: "[purser] \(first)\(more)",
            date: sorted.map(\.at).max() ?? Timestamp(seconds: 0),
            identifier: "\(Hexadecimal.lowercase(SHA256.hash(Array(ids.utf8)).prefix(16)))@\(host)",
            text: sorted.map(Self.paragraph).joined(separator: "\n") + "\n-- \n"
                + "Sent by purser watch\n")
    }

    private static func paragraph(_ tiding: Tiding) -> String {
        let alert = tiding.alert
        var lines = [tiding.headline]
        if tiding.isRecovery {
            lines.append("  It is over since \(alert.resolvedAt ?? tiding.at).")
        } else {
            if let deadline = alert.deadline { lines.append("  Until: \(deadline)") }
            if !alert.remedy.isEmpty { lines.append("  Next: \(alert.remedy)") }
        }
        lines.append(
            "  Alert \(alert.id), policy \(alert.policy.rawValue), since \(alert.raisedAt)")
        // What is over cannot be taken on any more.
        if !tiding.isRecovery {
            lines.append("  Taken on? purser alert acknowledge \(alert.id)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func rank(_ tiding: Tiding) -> Int {
        tiding.isRecovery ? 3 : 2 - tiding.alert.urgency.rawValue
    }
}
