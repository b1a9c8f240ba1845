package import Clocks
package import Database
package import Merchants

/// All that a running service needs to answer sessions, as of one moment.
package struct ServingSnapshot: Sendable {
    /// The merchants in service, by identifier.
    package let merchants: [ServedMerchant]
    /// Apple's environments and the operator's.
    package let environments: [GatewayEnvironment]

    /// All merchants of the home, also retired ones.
    package let known: [MerchantIdentifier]
    /// The merchants, in service or not, of whom something cannot be read.
    package let damaged: [DamagedMerchant]
    /// The API tokens, also those that are revoked or expired, so that they can be told as such.
    package let tokens: [APIToken]
    /// Why some of them cannot be read: they are as good as unknown.
    package let damagedTokens: [any Error]
    /// The association file to serve for each domain that has one.
    package let associationFiles: [DomainName: [UInt8]]

    /// Reads it; in one transaction, so that its parts belong together.
    ///
    /// Damage in what is one merchant's takes no other merchant along.
    ///
    /// - Throws: `DatabaseError`, ``RegistryError/damaged(column:why:)`` for what is nobody's alone.
    package init(in transaction: borrowing Transaction) throws {
        var damage: [String: any Error] = [:]
        var domains: [String: [DomainName]] = [:]
        try transaction.forEachRow(
            of: "SELECT merchant, domain FROM domains ORDER BY merchant, domain"
        ) { row in
            let id = try row.text("merchant")
            do {
                domains[id, default: []].append(try row.domain("domain"))
            } catch {
                damage[id] = error
            }
            return true
        }
        var identities: [String: [ServedIdentity]] = [:]
        try transaction.forEachRow(of: Self.identities) { row in
            let id = try row.text("merchant")
            do {
                identities[id, default: []].append(
                    ServedIdentity(
                        id: try row.credential("id"), state: try row.oneOf("state"),
                        publicKeyHash: try row.blob("public_key_hash"),
                        certificate: try CredentialQuery.readCertificate(row),
                        activatedAt: try row.optionalTime("activated_at")))
            } catch {
                damage[id] = error
            }
            return true
        }
        let readable = try MerchantRecords.list(in: transaction) { damage[$0] = $1 }
        merchants = readable.filter {
            $0.retiredAt == nil && damage[$0.identifier.text] == nil
        }.map {
            ServedMerchant(
                merchant: $0, domains: domains[$0.identifier.text] ?? [],
                identities: identities[$0.identifier.text] ?? [])
        }
        damaged = damage.sorted { $0.key < $1.key }.map { id, why in
            DamagedMerchant(
                identifier: try? MerchantIdentifier(id), domains: domains[id] ?? [], why: why)
        }
        known = Set(readable.map(\.identifier)).union(damaged.compactMap(\.identifier)).sorted()
        environments = try Environments.list(in: transaction)
        var damagedTokens: [any Error] = []
        tokens = try APITokens.list(in: transaction) { damagedTokens.append($0) }
        self.damagedTokens = damagedTokens
        associationFiles = try AssociationFiles.served(in: transaction)
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

/// A merchant of whom something in the database cannot be read.
package struct DamagedMerchant: Sendable {
    /// nil where even this is not what it should be.
    package let identifier: MerchantIdentifier?
    /// Those that can be read: they are its own still, and no other merchant's alone.
    package let domains: [DomainName]
    package let why: any Error
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
