/// `purser certificate list`.
enum CertificateListCommand {
    static let merchant = Argument(
        "MERCHANT", "only this merchant's", kind: .merchant, isOptional: true)

    static let verb = Verb(
        "certificate", "list", summary: "list credentials with state and expiry",
        arguments: [merchant],
        examples: [Example("purser certificate list --json", "list all credentials for a script")],
        needs: .home, run: run)

    static func run(_ invocation: Invocation) async throws {
        // BODY: not written yet.
    }
}
