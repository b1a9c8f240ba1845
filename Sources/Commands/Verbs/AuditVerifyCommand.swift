/// `purser audit verify`.
enum AuditVerifyCommand {
    static let head = Option(
        "head", "HASH", "the hash of the newest entry, as it was noted elsewhere")

    static let verb = Verb(
        "audit", "verify", summary: "check the ledger's chain of hashes and print its head",
        discussion: [
            "The head noted in another place proves later that nothing before it was changed or cut off."
        ],
        options: [head],
        examples: [Example("purser audit verify", "check the ledger")],
        needs: .home, run: run)

    static func run(_ invocation: Invocation) async throws {
        // BODY: not written yet.
    }
}
