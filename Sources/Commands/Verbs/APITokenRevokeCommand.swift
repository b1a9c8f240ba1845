import Clocks
import Database
import Documents
import Issuance
import Merchants

/// `purser api-token revoke`.
enum APITokenRevokeCommand {
    static let token = Argument("ID", "the token's id, from api-token list", kind: .token)

    static let verb = Verb(
        "api-token", "revoke", summary: "end a token for the HTTP API for good",
        discussion: ["Running services refuse it within a second."],
        arguments: [token],
        examples: [Example("purser api-token revoke a91c5e0b7d24", "end a token")],
        needs: .home, isAct: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        let id = try TokenIdentifier(invocation[token])
        let home = try await invocation.openHome(.readWrite)
        let revoked = try await home.revokeToken(id)
        try invocation.print(
            RevokedTokenReport(
                document: TokenDocument(revoked.token, at: home.clock.now),
                isChanged: revoked.isChanged))
    }
}

/// A revoked token: its JSON object with `changed`.
private struct RevokedTokenReport: Report {
    let document: TokenDocument
    let isChanged: Bool

    private enum Keys: String, CodingKey { case changed }

    func encode(to encoder: any Encoder) throws {
        try document.encode(to: encoder)
        var more = encoder.container(keyedBy: Keys.self)
        try more.encode(isChanged, forKey: .changed)
    }

    func text(width: Int) -> String {
        "\(document.id) \(isChanged ? "revoked" : "was revoked already")\n"
    }
}
