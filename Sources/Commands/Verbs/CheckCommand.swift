import Clocks
import Database
import Issuance
import Merchants
import Registry
import Settings

/// `purser check`.
enum CheckCommand {
    static let verb = Verb(
        "check", summary: "say what expires soon, with the statuses of a monitoring plug-in",
        discussion: [
            "It reads the database only: no network, no key; it writes and sends nothing. A certificate "
                + "with less than 30 days left is a warning, with less than 7 days critical."
        ],
        examples: [
            Example(
                "purser check || mail -s 'Apple Pay' shop@example.com",
                "mail when something expires soon")
        ],
        statuses: [
            NamedStatus(0, "ok"), NamedStatus(1, "warning"), NamedStatus(2, "critical"),
            NamedStatus(
                3, "unknown, or a failure of the check itself, a wrong command line included"),
        ],
        needs: .home, failureStatus: CommandStatus(3),
        // A monitoring system reads standard output; what is wrong stands on standard error too.
        failureLine: "PURSER UNKNOWN - the check itself failed", run: run)

    static func run(_ invocation: Invocation) async throws {
        let report = try await examine(invocation)
        try invocation.print(report)
        if report.urgency != .fine { throw CommandStatus(Int32(report.urgency.rawValue)) }
    }

    private static func examine(_ invocation: Invocation) async throws -> CheckReport {
        // First the home: its settings are not to be read as root.
        let home = try await invocation.openHome(.readOnly)
        let settings = try await invocation.loadSettings().settings.check
        let policy = ExpiryPolicy(
            warningDays: Int64(settings.warningDays), criticalDays: Int64(settings.criticalDays))
        let now = invocation.context.clock.now
        return try await home.database.read { transaction in
            var report = CheckReport(policy: policy, now: now)
            var slot: CredentialSlot?
            var best = BestCredential()
            try Credentials.forEachCertified(in: transaction) { credential in
                let next = CredentialSlot(credential)
                if next != slot {
                    report.add(best.best)
                    best = BestCredential()
                    slot = next
                }
                best.offer(credential)
                return true
            }
            report.add(best.best)
            return report
        }
    }

    /// What an expiry belongs to: a merchant and a kind.
    private struct CredentialSlot: Equatable {
        let merchant: MerchantIdentifier
        let kind: CredentialKind

        init(_ credential: Credential) {
            merchant = credential.merchant
            kind = credential.kind
        }
    }
}
