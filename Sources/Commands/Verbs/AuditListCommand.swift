import Clocks
import Database
import Documents
import Issuance
import Ledger
import Merchants
import PKI
import Registry

/// `purser audit list`.
enum AuditListCommand {
    static let merchant = Option("merchant", "ID", "only acts on this merchant", kind: .merchant)
    static let act = Option(
        "act", "NAME", "only acts of this name, such as certificate.activated",
        kind: .values(Act.allCases.map(\.rawValue)))
    static let actor = Option(
        "actor", "NAME", "only acts of this user or token, such as alice or token:ID")
    static let since = Option("since", "TIME", "only acts at this time or later, or since this day")
    static let until = Option(
        "until", "TIME", "only acts at this time or earlier, or up to the end of this day")
    static let limit = Option("limit", "N", "only the last so many")

    static let verb = Verb(
        "audit", "list", summary: "list the acts in the ledger, oldest first",
        discussion: [
            "With --json, one JSON value on each line. A time is RFC 3339, such as 2026-03-01T08:00:00Z. A "
                + "date alone means that day, in UTC: from its beginning, or up to its end."
        ],
        options: [merchant, act, actor, since, until, limit],
        examples: [
            Example(
                "purser audit list --since 2026-03-01 --until 2026-03-31 --json",
                "list a month's acts for a script")
        ],
        needs: .home, run: run)

    static func run(_ invocation: Invocation) async throws {
        let merchant = try invocation[merchant].map { try MerchantIdentifier($0) }
        var filter = LedgerFilter(
            subject: merchant?.text, since: try invocation.time(since),
            limit: try invocation.integer(limit, in: 1...1_000_000))
        filter.actor = invocation[actor]
        filter.until = try invocation.time(until)
        if invocation.isDate(until) {
            filter.until = filter.until?.adding(seconds: Timestamp.secondsPerDay - 1)
        }
        filter.act = invocation[act].flatMap(Act.init(rawValue:))
        let home = try await invocation.openHome(.readOnly)
        let isJSON = invocation.global.json
        let output = invocation.context.output
        let chosen = filter
        try await home.database.read { transaction in
            if let merchant { _ = try MerchantRecords.find(merchant, in: transaction) }
            try Ledger.forEach(chosen, in: transaction) { record in
                let report = LedgerDocument(record)
                try output.write(isJSON ? JSONText.line(report) : Array(report.line.utf8))
                return !output.isClosed
            }
        }
    }
}

extension LedgerDocument {
    /// As text.
    var line: String {
        let more = detail.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let words = ["\(sequence)", at, act, subject] + more + ["by \(actor)"]
        return TerminalText.escaped(words.joined(separator: " ")) + "\n"
    }
}
