/// `purser merchant retire`.
enum MerchantRetireCommand {
    static let verb = Verb(
        "merchant", "retire", summary: "take a merchant out of service with all its credentials",
        arguments: [.merchant],
        examples: [
            Example(
                "purser merchant retire merchant.com.example.shop",
                "take a shop's merchant out of service")
        ],
        needs: .key, run: run)

    static func run(_ invocation: Invocation) async throws {
        // BODY: not written yet.
    }
}
