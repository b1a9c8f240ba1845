import Database
import Issuance

/// `purser environment list`.
enum EnvironmentListCommand {
    static let verb = Verb(
        "environment", "list", summary: "list the gateways, Apple's own and those added",
        examples: [Example("purser environment list --json", "list the gateways for a script")],
        needs: .home, run: run)

    static func run(_ invocation: Invocation) async throws {
        let home = try await invocation.openHome(.readOnly)
        try invocation.print(ListReport(try await home.environments().map(EnvironmentReport.init)))
    }
}
