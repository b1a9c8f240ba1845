/// `purser environment list`.
enum EnvironmentListCommand {
    static let verb = Verb(
        "environment", "list", summary: "list the gateways, Apple's own and those added",
        examples: [Example("purser environment list --json", "list the gateways for a script")],
        needs: .home, run: run)

    static func run(_ invocation: Invocation) async throws {
        // BODY: not written yet.
    }
}
