package import Clocks
package import Database
package import Merchants

/// All that a running service needs to answer sessions, as of one moment.
package struct ServingSnapshot: Sendable {
    /// The merchants in service, by identifier.
    package let merchants: [ServedMerchant]
    /// Apple's environments and the operator's.
    package let environments: [GatewayEnvironment]

    /// Reads it; in one transaction, so that its parts belong together.
    ///
    /// - Throws: `DatabaseError`, ``RegistryError/damaged(column:why:)``.
    package init(in transaction: borrowing Transaction) throws {
        var domains: [MerchantIdentifier: [DomainName]] = [:]
        try transaction.forEachRow(
            of: "SELECT merchant, domain FROM domains ORDER BY merchant, domain"
        ) { row in
            domains[try row.merchant("merchant"), default: []].append(try row.domain("domain"))
            return true
        }
        var identities: [MerchantIdentifier: [ServedIdentity]] = [:]
        try transaction.forEachRow(of: Self.identities) { row in
            identities[try row.merchant("merchant"), default: []].append(
                ServedIdentity(
                    id: try row.credential("id"), state: try row.oneOf("state"),
                    publicKeyHash: try row.blob("public_key_hash"),
                    certificate: try CredentialQuery.readCertificate(row),
                    activatedAt: try row.optionalTime("activated_at")))
            return true
        }
        merchants = try MerchantRecords.list(includingRetired: false, in: transaction).map {
            ServedMerchant(
                merchant: $0, domains: domains[$0.identifier] ?? [],
                identities: identities[$0.identifier] ?? [])
        }
        environments = try Environments.list(in: transaction)
    }

    private static let identities: SQL = """
        SELECT c.merchant, c.id, c.state, c.public_key_hash, c.activated_at,
            \(CredentialQuery.certificateColumns)
        FROM credentials AS c JOIN certificates AS x ON x.fingerprint = (
            SELECT fingerprint FROM certificates WHERE credential = c.id
            ORDER BY not_after DESC, not_before DESC, fingerprint LIMIT 1)
        WHERE c.kind = 'merchant-identity' AND c.custody = 'local'
            AND c.state IN ('active', 'retiring')
        ORDER BY c.merchant, c.state, c.created_at, c.id
        """
}

/// A merchant in service with what its sessions are made from.
package struct ServedMerchant: Sendable, Hashable {
    package let merchant: Merchant
    /// By name.
    package let domains: [DomainName]
    /// The active identity first, then the retiring ones; those with a local key and a certificate.
    package let identities: [ServedIdentity]
}

/// An identity that sessions may be made with; its key is in the vault under ``publicKeyHash``.
package struct ServedIdentity: Sendable, Hashable {
    package let id: CredentialIdentifier
    /// `active` or `retiring`.
    package let state: CredentialState
    /// SHA-256 of the DER SubjectPublicKeyInfo.
    package let publicKeyHash: [UInt8]
    package let certificate: CertificateRecord
    package let activatedAt: Timestamp?
}
