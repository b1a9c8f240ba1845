package import Clocks
package import Merchants
import Networks

/// An API token's record as JSON, never with the token.
package struct TokenDocument: Encodable, Sendable {
    package let id: String
    package let roles: [String]
    /// Empty: any merchant.
    package let merchants: [String]
    /// CIDR; empty: from anywhere.
    package let networks: [String]
    @OrNull package var note: String?
    /// `valid`, `expired` or `revoked`.
    package let state: String
    package let createdAt: Timestamp
    @OrNull package var expiresAt: Timestamp?
    @OrNull package var revokedAt: Timestamp?
    @OrNull package var lastUsedAt: Timestamp?
    @OrNull package var lastUsedFrom: String?

    /// The document of `token` at `now`.
    package init(_ token: APIToken, at now: Timestamp) {
        id = token.id.text
        roles = token.roles.sorted().map(\.rawValue)
        merchants = token.merchants.sorted().map(\.text)
        networks = token.networks.map(\.description)
        state = token.state(at: now)
        createdAt = token.createdAt
        note = token.note
        expiresAt = token.expiresAt
        revokedAt = token.revokedAt
        lastUsedAt = token.lastUsedAt
        lastUsedFrom = token.lastUsedFrom
    }
}
