/// `purser audit list`.
enum AuditListCommand {
    static let merchant = Option("merchant", "ID", "only acts on this merchant", kind: .merchant)
    static let act = Option("act", "NAME", "only acts of this name, such as certificate.activate")
    static let since = Option("since", "TIME", "only acts at this time or later")
    static let limit = Option("limit", "N", "only the last so many")

    static let verb = Verb(
        "audit", "list", summary: "list the acts in the ledger, oldest first",
        discussion: [
            "With --json, one JSON value on each line. A time is RFC 3339, such as 2026-03-01T08:00:00Z, or "
                + "a date alone for midnight UTC."
        ],
        options: [merchant, act, since, limit],
        examples: [
            Example(
                "purser audit list --since 2026-03-01 --json", "list a month's acts for a script")
        ],
        needs: .home, run: run)

    static func run(_ invocation: Invocation) async throws {
        // BODY: not written yet.
    }
}
