package import Database
package import Merchants

/// A certificate of which nobody has said yet who issued it.
package struct UnverifiedCertificate: Sendable, Hashable {
    package let credential: CredentialIdentifier
    package let merchant: MerchantIdentifier
    /// SHA-256 of the DER, lower-case hex.
    package let fingerprint: String
    package let der: [UInt8]
}

extension Credentials {
    /// The certificates of a realm's merchants whose chains were not verified, by credential.
    ///
    /// `except` are fingerprints that are left out.
    ///
    /// - Throws: `DatabaseError`, ``RegistryError/damaged(column:why:)``.
    package static func unverified(
        in realm: RealmName, except known: Set<String> = [],
        _ transaction: borrowing Transaction
    ) throws -> [UnverifiedCertificate] {
        var found: [UnverifiedCertificate] = []
        try transaction.forEachRow(
            of: """
                SELECT c.id, c.merchant, x.fingerprint, x.der
                FROM certificates AS x JOIN credentials AS c ON c.id = x.credential
                JOIN merchants AS m ON m.id = c.merchant
                WHERE x.issuer_verified = 0 AND m.realm = ?
                ORDER BY c.merchant, c.kind, c.created_at, c.id, x.fingerprint
                """, [.text(realm.text)]
        ) { row in
            let fingerprint = try row.text("fingerprint")
            guard !known.contains(fingerprint) else { return true }
            found.append(
                UnverifiedCertificate(
                    credential: try row.credential("id"), merchant: try row.merchant("merchant"),
                    fingerprint: fingerprint, der: try row.blob("der")))
            return true
        }
        return found
    }
}
