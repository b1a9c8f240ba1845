/// `purser certificate rehearse`.
enum CertificateRehearseCommand {
    static let verb = Verb(
        "certificate", "rehearse",
        summary: "prove an issued identity with a real session, and change nothing",
        arguments: [.credential], options: [.environment],
        examples: [
            Example(
                "purser certificate rehearse 3f09a1c2d4e5 --environment sandbox",
                "try an identity at the sandbox gateway")
        ],
        needs: .key, run: run)

    static func run(_ invocation: Invocation) async throws {
        // BODY: not written yet.
    }
}
