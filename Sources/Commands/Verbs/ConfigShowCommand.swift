/// `purser config show`.
enum ConfigShowCommand {
    static let verb = Verb(
        "config", "show", summary: "print each setting with its value and where it comes from",
        examples: [Example("purser config show", "see what is in force and why")],
        needs: .nothing, run: run)

    static func run(_ invocation: Invocation) async throws {
        // BODY: not written yet.
    }
}
