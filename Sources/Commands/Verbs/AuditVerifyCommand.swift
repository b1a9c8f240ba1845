import Documents
import Issuance
import Ledger

/// `purser audit verify`.
enum AuditVerifyCommand {
    static let head = Option(
        "head", "HASH", "the hash of the newest entry, as it was noted elsewhere")

    static let verb = Verb(
        "audit", "verify", summary: "check the ledger's chain of hashes and print its head",
        discussion: [
            "The head noted in another place proves later that nothing before it was changed or cut off: "
                + "with --head it is said which entry it is, and where it is missing that is an error."
        ],
        options: [head],
        examples: [Example("purser audit verify", "check the ledger")],
        needs: .home, run: run)

    static func run(_ invocation: Invocation) async throws {
        let expected = try invocation[head].map { try LedgerHead.hash($0) }
        try invocation.enterHome()
        let (head, found) = try await OpenHome.verifyLedger(
            invocation.layout, expecting: expected)
        // An empty chain is whole, but a home's history begins with its making.
        guard head.sequence > 0 else {
            throw LedgerError.broken(entry: 1, what: "there is no entry at all")
        }
        try invocation.print(
            VerificationReport(
                entries: head.sequence, head: head.text,
                found: found.map { .init($0) }))
    }
}

/// A chain that holds.
private struct VerificationReport: Report {
    let entries: Int64
    /// The newest entry's hash, lower-case hex.
    let head: String
    /// The entry of the hash that was asked for; nil where none was.
    @OrNull var found: Found?

    struct Found: Encodable, Sendable {
        let entry: Int64
        let hash: String

        init(_ head: LedgerHead) {
            entry = head.sequence
            hash = head.text
        }
    }

    func text(width: Int) -> String {
        let whole = "\(entries) entr\(entries == 1 ? "y verifies" : "ies verify")\nhead \(head)\n"
        guard let found else { return whole }
        return whole + "\(found.hash) is entry \(found.entry) of \(entries)\n"
    }
}
