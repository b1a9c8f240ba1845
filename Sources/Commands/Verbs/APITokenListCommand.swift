import Clocks
import Database
import Documents
import Issuance
import Registry

/// `purser api-token list`.
enum APITokenListCommand {
    static let verb = Verb(
        "api-token", "list", summary: "list the tokens for the HTTP API, the oldest first",
        discussion: [
            "Revoked and expired ones are listed, too. When one was last used is known to a minute."
        ],
        examples: [Example("purser api-token list", "see which tokens there are")],
        needs: .home, run: run)

    static func run(_ invocation: Invocation) async throws {
        let home = try await invocation.openHome(.readOnly)
        let now = home.clock.now
        let (tokens, damaged) = try await home.database.read { transaction in
            var damaged = 0
            let tokens = try APITokens.list(in: transaction) { _ in damaged += 1 }
            return (tokens, damaged)
        }
        if damaged > 0 {
            invocation.warn(
                "\(damaged) of the records cannot be read: services refuse those tokens",
                hint: "find their ids by purser audit list --act api-token.created, and revoke them"
            )
        }
        try invocation.print(ListReport(tokens.map { TokenDocument($0, at: now) }))
    }
}
