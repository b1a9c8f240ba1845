/// `purser session`.
enum SessionCommand {
    static let verb = Verb(
        "session", summary: "ask Apple for one merchant session and print Apple's bytes",
        arguments: [.merchant, .domain], options: [.environment],
        examples: [
            Example(
                "purser session merchant.com.example.shop shop.example.com", "ask for a session")
        ],
        needs: .key, run: run)

    static func run(_ invocation: Invocation) async throws {
        // BODY: not written yet.
    }
}
