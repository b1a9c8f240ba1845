/// `purser __complete`.
enum CompleteCommand {
    /// What the completion scripts ask for.
    static let kind = Argument(
        "KIND", "what to list", kind: .values(["merchant", "credential", "environment"]))

    static let verb = Verb(
        "__complete",
        summary: "print the home's names of one kind, one a line, for completion scripts",
        arguments: [kind], needs: .nothing, isHidden: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        // BODY: not written yet.
    }
}
