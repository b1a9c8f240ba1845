import Database
import Issuance
import Merchants

/// `purser environment remove`.
enum EnvironmentRemoveCommand {
    static let name = Argument("NAME", "the environment", kind: .environment)

    static let verb = Verb(
        "environment", "remove",
        summary: "remove a gateway that was added and that no merchant uses",
        arguments: [name],
        examples: [
            Example("purser environment remove lab", "remove a stand-in that is no longer needed")
        ],
        needs: .home, isAct: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        let name = try EnvironmentName(invocation[name])
        let home = try await invocation.openHome(.readWrite)
        let environment = try await home.removeEnvironment(name)
        try invocation.print(EnvironmentReport(environment).after(.removed))
    }
}
