package import Clocks
import Database
import Ledger
package import Merchants
package import Networks
import PKI
import Registry
package import Secrets

/// What a new API token is to be good for.
package struct TokenWish: Sendable {
    package var roles: Set<Role>
    package var merchants: Set<MerchantIdentifier>
    package var networks: [NetworkRange]
    package var note: String?
    package var expiresAt: Timestamp?

    /// Bound to nothing, for ever, unless more is said.
    package init(
        roles: Set<Role>, merchants: Set<MerchantIdentifier> = [], networks: [NetworkRange] = [],
        note: String? = nil, expiresAt: Timestamp? = nil
    ) {
        self.roles = roles
        self.merchants = merchants
        self.networks = networks
        self.note = note
        self.expiresAt = expiresAt
    }
}

/// A new API token with its record; the text exists nowhere else.
package struct NewToken: Sendable {
    package let record: APIToken
    /// `purser_ID_SECRET`, UTF-8.
    package let text: SecretBytes
}

extension OpenHome {
    /// Draws a token of 256 bits and records its hash.
    ///
    /// - Throws: ``IssuanceError/tokenOver(_:)`` for an expiry that is past, ``RegistryError`` for a
    ///   merchant that is unknown or retired, ``DatabaseError``.
    package func createToken(_ wish: TokenWish) async throws -> NewToken {
        let now = clock.now
        if let end = wish.expiresAt, end <= now { throw IssuanceError.tokenOver(end) }
        let id = TokenIdentifier.random()
        let text = Self.tokenText(id)
        let record = APIToken(
            id: id, hash: Self.hash(of: text), roles: wish.roles, merchants: wish.merchants,
            networks: wish.networks, note: wish.note, createdAt: now, expiresAt: wish.expiresAt)
        var detail = ["roles": wish.roles.sorted().map(\.rawValue).joined(separator: " ")]
        if !wish.merchants.isEmpty {
            detail["merchants"] = wish.merchants.sorted().map(\.text).joined(separator: " ")
        }
        if !wish.networks.isEmpty {
            detail["networks"] = wish.networks.map(\.description).joined(separator: " ")
        }
        detail["expires"] = wish.expiresAt?.description
        detail["note"] = wish.note
        let entry = entry(.tokenCreated, id.text, detail)
        try await database.write { transaction in
            try APITokens.add(record, in: transaction)
            try Ledger.append(entry, in: transaction)
        }
        return NewToken(record: record, text: text)
    }

    /// Ends a token for good; in force in every running service within a second.
    ///
    /// - Returns: the token as it is now, nil where its record cannot be read; and whether it is news.
    /// - Throws: ``RegistryError/tokenUnknown(_:)``, ``DatabaseError``.
    package func revokeToken(
        _ id: TokenIdentifier
    ) async throws -> (token: APIToken?, isChanged: Bool) {
        let now = clock.now
        let entry = entry(.tokenRevoked, id.text)
        return try await database.write { transaction in
            let before = try Self.readable(id, in: transaction)
            if let before, before.revokedAt != nil { return (before, false) }
            try APITokens.revoke(id, at: now, in: transaction)
            try Ledger.append(entry, in: transaction)
            return (try Self.readable(id, in: transaction), true)
        }
    }

    /// The token's record, nil where it is damaged: that must not be what keeps its token from being
    /// ended.
    private static func readable(
        _ id: TokenIdentifier, in transaction: borrowing Transaction
    ) throws -> APIToken? {
        do { return try APITokens.find(id, in: transaction) } catch RegistryError.damaged {
            return nil
        }
    }

    private static func tokenText(_ id: TokenIdentifier) -> SecretBytes {
        let lead = Array("\(TokenForm.prefix)\(id)_".utf8)
        let secret = Base64.encodeURL(SecretBytes.random(count: 32))
        return SecretBytes(count: lead.count + secret.count) { target in
            target.copyBytes(from: lead)
            secret.withUnsafeBytes { source in
                for index in 0..<source.count { target[lead.count + index] = source[index] }
            }
        }
    }

    private static func hash(of text: SecretBytes) -> [UInt8] {
        var copy = text.withUnsafeBytes { Array($0) }
        defer { wipe(&copy) }
        return SHA256.hash(copy)
    }
}
