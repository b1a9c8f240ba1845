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
                id: id.text,
                document: revoked.token.map { TokenDocument($0, at: home.clock.now) },
                isChanged: revoked.isChanged))
    }
}

/// A revoked token: its JSON object with `changed`.
private struct RevokedTokenReport: Report {
    let id: String
    /// Nil where the record cannot be read.
    let document: TokenDocument?
    let isChanged: Bool

    private enum Keys: String, CodingKey { case id, changed }

    func encode(to encoder: any Encoder) throws {
        try document?.encode(to: encoder)
        var more = encoder.container(keyedBy: Keys.self)
        try more.encode(id, forKey: .id)
        try more.encode(isChanged, forKey: .changed)
    }

    func text(width: Int) -> String {
        "\(id) \(isChanged ? "revoked" : "was revoked already")\n"
    }
}
