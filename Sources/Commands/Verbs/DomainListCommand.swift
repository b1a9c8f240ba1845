/// `purser domain list`.
enum DomainListCommand {
    static let verb = Verb(
        "domain", "list", summary: "list a merchant's domains",
        arguments: [.merchant],
        examples: [
            Example("purser domain list merchant.com.example.shop", "list a merchant's domains")
        ],
        needs: .home, run: run)

    static func run(_ invocation: Invocation) async throws {
        // BODY: not written yet.
    }
}
