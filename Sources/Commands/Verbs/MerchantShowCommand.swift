/// `purser merchant show`.
enum MerchantShowCommand {
    static let verb = Verb(
        "merchant", "show", summary: "show one merchant with its domains and certificates",
        arguments: [.merchant],
        examples: [
            Example(
                "purser merchant show merchant.com.example.shop", "show what there is of a merchant"
            )
        ],
        needs: .home, run: run)

    static func run(_ invocation: Invocation) async throws {
        // BODY: not written yet.
    }
}
