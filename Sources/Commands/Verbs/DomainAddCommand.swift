/// `purser domain add`.
enum DomainAddCommand {
    static let verb = Verb(
        "domain", "add", summary: "register a shop's domain for a merchant",
        discussion: [
            "The name is kept as lower-case A-labels without a final dot and compared exactly; Apple knows "
                + "no wildcards."
        ],
        arguments: [.merchant, .domain],
        examples: [
            Example(
                "purser domain add merchant.com.example.shop shop.example.com", "register a domain")
        ],
        needs: .home, run: run)

    static func run(_ invocation: Invocation) async throws {
        // BODY: not written yet.
    }
}
