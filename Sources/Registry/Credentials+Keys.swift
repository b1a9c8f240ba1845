package import Database
package import Merchants

/// A key that the records say is, or was, kept in this home.
package struct RecordedKey: Sendable, Hashable {
    package let id: CredentialIdentifier
    package let merchant: MerchantIdentifier
    package let kind: CredentialKind
    /// SHA-256 of the DER SubjectPublicKeyInfo.
    package let publicKeyHash: [UInt8]
    /// Whether nothing of it is to be there any more.
    package let isDestroyed: Bool
}

extension Credentials {
    /// Every key of local custody.
    ///
    /// Nothing else of the records is read, so that damage elsewhere does not matter. `damaged` is
    /// told why one cannot be read that nobody then can say is there.
    ///
    /// - Throws: `DatabaseError`, what `damaged` throws.
    package static func localKeys(
        in transaction: borrowing Transaction, damaged: (any Error) throws -> Void
    ) throws -> [RecordedKey] {
        var keys: [RecordedKey] = []
        try transaction.forEachRow(
            of: """
                SELECT id, merchant, kind, public_key_hash, state = 'destroyed' AS destroyed
                FROM credentials WHERE custody <> 'provider'
                ORDER BY merchant, kind, created_at, id
                """, []
        ) { row in
            do {
                keys.append(
                    RecordedKey(
                        id: try row.credential("id"), merchant: try row.merchant("merchant"),
                        kind: try row.oneOf("kind"),
                        publicKeyHash: try row.blob("public_key_hash"),
                        isDestroyed: try row.boolean("destroyed")))
            } catch {
                guard isDamage(error) else { throw error }
                try damaged(error)
            }
            return true
        }
        return keys
    }
}
