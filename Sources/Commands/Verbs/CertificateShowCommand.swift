/// `purser certificate show`.
enum CertificateShowCommand {
    static let verb = Verb(
        "certificate", "show", summary: "show one credential",
        arguments: [.credential],
        examples: [Example("purser certificate show 3f09a1c2d4e5", "show a credential")],
        needs: .home, run: run)

    static func run(_ invocation: Invocation) async throws {
        // BODY: not written yet.
    }
}
