/// `purser certificate activate`.
enum CertificateActivateCommand {
    static let withoutRehearsal = Option(
        flag: "without-rehearsal", "do not prove it with a session first")
    static let acceptIncomplete = Option(
        flag: "accept-incomplete",
        "go on when Apple accepts the certificate but something else is unfinished there")

    static let verb = Verb(
        "certificate", "activate",
        summary: "rehearse an identity and use it for sessions from now on",
        discussion: [
            "The identity before it becomes retiring and can be taken back. Running services follow "
                + "within a second."
        ],
        arguments: [.credential], options: [withoutRehearsal, acceptIncomplete, .environment],
        examples: [
            Example(
                "purser certificate activate 3f09a1c2d4e5",
                "prove an identity and use it from now on")
        ],
        needs: .key, run: run)

    static func run(_ invocation: Invocation) async throws {
        // BODY: not written yet.
    }
}
