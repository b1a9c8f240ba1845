package import Clocks
package import Database
package import Merchants
import Networks

/// The API tokens' records; the tokens themselves are nowhere.
package enum APITokens {
    /// Records a new token.
    ///
    /// - Throws: ``RegistryError/merchantUnknown(_:)`` for a merchant that it is bound to,
    ///   `DatabaseError`.
    package static func add(
        _ token: APIToken, in transaction: borrowing Transaction
    ) throws {
        for merchant in token.merchants.sorted() {
            _ = try MerchantRecords.findInService(merchant, in: transaction)
        }
        try transaction.execute(
            """
            INSERT INTO api_tokens
                (id, hash, roles, merchants, networks, note, created_at, expires_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(token.id.text), .blob(token.hash),
                try Value(list: token.roles.sorted().map(\.rawValue)),
                try Value(list: token.merchants.sorted().map(\.text)),
                try Value(list: token.networks.map(\.description)), Value(token.note),
                Value(token.createdAt), Value(token.expiresAt),
            ])
    }

    /// All tokens, the oldest first.
    ///
    /// `damaged` is told of each one whose record cannot be read; the list then goes on without it.
    /// Unless it is given, the first such record is the error.
    ///
    /// - Throws: `DatabaseError`, ``RegistryError/damaged(column:why:)``, what `damaged` throws.
    package static func list(
        in transaction: borrowing Transaction, damaged: (any Error) throws -> Void = { throw $0 }
    ) throws -> [APIToken] {
        var tokens: [APIToken] = []
        try transaction.forEachRow(
            of: "SELECT \(columns) FROM api_tokens ORDER BY created_at, id"
        ) { row in
            do {
                tokens.append(try read(row))
            } catch {
                try damaged(error)
            }
            return true
        }
        return tokens
    }

    /// The token with this id.
    ///
    /// - Throws: ``RegistryError/tokenUnknown(_:)``, `DatabaseError`.
    package static func find(
        _ id: TokenIdentifier, in transaction: borrowing Transaction
    ) throws -> APIToken {
        let found = try transaction.firstRow(
            of: "SELECT \(columns) FROM api_tokens WHERE id = ?", [.text(id.text)]
        ) { try read($0) }
        guard let found else { throw RegistryError.tokenUnknown(id) }
        return found
    }

    /// Ends a token for good; one that was revoked before keeps its time.
    ///
    /// - Throws: ``RegistryError/tokenUnknown(_:)``, `DatabaseError`.
    package static func revoke(
        _ id: TokenIdentifier, at time: Timestamp, in transaction: borrowing Transaction
    ) throws {
        let changed = try transaction.execute(
            "UPDATE api_tokens SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?",
            [Value(time), .text(id.text)])
        guard changed == 1 else { throw RegistryError.tokenUnknown(id) }
    }

    /// Records when and from where a token was last accepted; an older use changes nothing, and
    /// neither does one of a token that is gone.
    ///
    /// - Throws: `DatabaseError`.
    package static func noteUse(
        of id: TokenIdentifier, at time: Timestamp, from place: String,
        in transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            UPDATE api_tokens SET last_used_at = ?1, last_used_from = ?2
            WHERE id = ?3 AND (last_used_at IS NULL OR last_used_at < ?1)
            """, [Value(time), .text(place), .text(id.text)])
    }

    private static let columns: SQL = """
        id, hash, roles, merchants, networks, note, created_at, expires_at, revoked_at,
        last_used_at, last_used_from
        """

    private static func read(_ row: borrowing Row) throws -> APIToken {
        let roles = try row.texts("roles").compactMap(Role.init(rawValue:))
        // Fewer roles than were written would be a smaller right; no network would be a greater one.
        guard !roles.isEmpty else { throw RegistryError.damaged(column: "roles", why: nil) }
        return APIToken(
            id: try row.token("id"), hash: try row.blob("hash"), roles: Set(roles),
            merchants: Set(
                try row.texts("merchants").map { text in
                    do throws(MerchantsError) { return try MerchantIdentifier(text) } catch {
                        throw RegistryError.damaged(column: "merchants", why: error)
                    }
                }),
            networks: try row.texts("networks").map { text in
                guard let range = try? NetworkRange(text) else {
                    throw RegistryError.damaged(column: "networks", why: nil)
                }
                return range
            },
            note: try row.optionalText("note"), createdAt: try row.time("created_at"),
            expiresAt: try row.optionalTime("expires_at"),
            revokedAt: try row.optionalTime("revoked_at"),
            lastUsedAt: try row.optionalTime("last_used_at"),
            lastUsedFrom: try row.optionalText("last_used_from"))
    }
}
