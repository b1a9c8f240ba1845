/// `purser merchant list`.
enum MerchantListCommand {
    static let verb = Verb(
        "merchant", "list", summary: "list the merchants",
        examples: [Example("purser merchant list", "list all merchants")],
        needs: .home, run: run)

    static func run(_ invocation: Invocation) async throws {
        // BODY: not written yet.
    }
}
