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
        let tokens = try await home.database.read { try APITokens.list(in: $0) }
        try invocation.print(ListReport(tokens.map { TokenDocument($0, at: now) }))
    }
}
