package import Clocks
package import Database
package import Merchants

/// The credentials of a home and the certificates that fit their keys.
///
/// Only records are here: the keys are the vault's, and which act may follow which is decided by
/// the rules of `Merchants` and carried out by `Issuance`.
package enum Credentials {
    /// Records a new credential of a merchant in service, and its certificate if it has one.
    ///
    /// `evenIfRetired` is for keys that were there before their merchant was retired.
    ///
    /// - Throws: ``RegistryError/merchantUnknown(_:)``, ``RegistryError/merchantRetired(_:)``,
    ///   ``RegistryError/keyKnown(_:)``, ``RegistryError/anotherActive(_:)``,
    ///   ``RegistryError/certificateElsewhere(_:)``, `DatabaseError`.
    package static func insert(
        _ credential: Credential, evenIfRetired: Bool = false,
        in transaction: borrowing Transaction
    ) throws {
        if evenIfRetired {
            _ = try MerchantRecords.find(credential.merchant, in: transaction)
        } else {
            _ = try MerchantRecords.findInService(credential.merchant, in: transaction)
        }
        if let known = try find(
            publicKeyHash: credential.publicKeyHash, merchant: credential.merchant,
            kind: credential.kind, in: transaction)
        {
            throw RegistryError.keyKnown(known.id)
        }
        try refusingSecondActive(credential.id) { () throws(DatabaseError) in
            _ = try transaction.execute(
                """
                INSERT INTO credentials
                    (id, merchant, kind, state, custody, provider, public_key_hash, key_algorithm,
                    csr, created_at, activated_at, state_changed_at, retiring_since, rolled_back_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    .text(credential.id.text), .text(credential.merchant.text),
                    .text(credential.kind.rawValue), .text(credential.state.rawValue),
                    .text(credential.custody.rawValue), Value(credential.provider),
                    .blob(credential.publicKeyHash), .text(credential.keyAlgorithm),
                    Value(credential.csr), Value(credential.createdAt),
                    Value(credential.activatedAt), Value(credential.times.stateChangedAt),
                    Value(credential.times.retiringSince),
                    Value(credential.times.rolledBackAt),
                ])
        }
        if let certificate = credential.certificate {
            try add(certificate, to: credential.id, at: credential.createdAt, in: transaction)
        }
    }

    /// The credential of this id.
    ///
    /// - Throws: ``RegistryError/certificateUnknown(_:)``, `DatabaseError`.
    package static func find(
        _ id: CredentialIdentifier, in transaction: borrowing Transaction
    ) throws -> Credential {
        let found = try transaction.firstRow(
            of: "\(CredentialQuery.all) WHERE c.id = ?", [.text(id.text)]
        ) { try CredentialQuery.read($0) }
        guard let found else { throw RegistryError.certificateUnknown(id) }
        return found
    }

    /// The credential of a merchant and kind that has this key; nil when there is none.
    ///
    /// - Throws: `DatabaseError`.
    package static func find(
        publicKeyHash: [UInt8], merchant: MerchantIdentifier, kind: CredentialKind,
        in transaction: borrowing Transaction
    ) throws -> Credential? {
        try transaction.firstRow(
            of: """
                \(CredentialQuery.all)
                WHERE c.public_key_hash = ? AND c.merchant = ? AND c.kind = ?
                """,
            [.blob(publicKeyHash), .text(merchant.text), .text(kind.rawValue)]
        ) { try CredentialQuery.read($0) }
    }

    /// All credentials that have this key, whatever their merchant and kind.
    ///
    /// - Throws: `DatabaseError`.
    package static func find(
        publicKeyHash: [UInt8], in transaction: borrowing Transaction
    ) throws -> [Credential] {
        try transaction.rows(
            of: """
                \(CredentialQuery.all) WHERE c.public_key_hash = ? \(CredentialQuery.order)
                """, [.blob(publicKeyHash)]
        ) { try CredentialQuery.read($0) }
    }

    /// Credentials by merchant, kind and age; of one merchant or kind where given.
    ///
    /// An unknown merchant has none: whether that is an error is the caller's to say.
    ///
    /// - Throws: `DatabaseError`.
    package static func list(
        merchant: MerchantIdentifier? = nil, kind: CredentialKind? = nil,
        in transaction: borrowing Transaction
    ) throws -> [Credential] {
        var query: SQL = "\(CredentialQuery.all) WHERE true"
        var values: [Value] = []
        if let merchant {
            query = "\(query) AND c.merchant = ?"
            values.append(.text(merchant.text))
        }
        if let kind {
            query = "\(query) AND c.kind = ?"
            values.append(.text(kind.rawValue))
        }
        return try transaction.rows(of: "\(query) \(CredentialQuery.order)", values) {
            try CredentialQuery.read($0)
        }
    }
}

// MARK: - Damage

extension Credentials {
    /// Whether an error says that one record cannot be read, rather than the database.
    package static func isDamage(_ error: any Error) -> Bool {
        switch error {
        case RegistryError.damaged, DatabaseError.wrongColumn: true
        default: false
        }
    }
}

// MARK: - Certificates

extension Credentials {
    /// Adds a certificate that fits the credential's key; the same one again changes nothing.
    ///
    /// - Returns: whether it is new.
    /// - Throws: ``RegistryError/certificateUnknown(_:)`` for no such credential,
    ///   ``RegistryError/certificateElsewhere(_:)``, `DatabaseError`.
    @discardableResult
    package static func add(
        _ certificate: CertificateRecord, to id: CredentialIdentifier, at time: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> Bool {
        try requireCredential(id, in: transaction)
        let owner = try transaction.firstRow(
            of: "SELECT credential FROM certificates WHERE fingerprint = ?",
            [.text(certificate.fingerprint)]
        ) { try $0.credential("credential") }
        if let owner {
            guard owner == id else { throw RegistryError.certificateElsewhere(owner) }
            return false
        }
        try transaction.execute(
            """
            INSERT INTO certificates
                (fingerprint, credential, der, subject, serial, not_before, not_after, team,
                issuer_verified, added_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(certificate.fingerprint), .text(id.text), .blob(certificate.der),
                .text(certificate.subject), .text(certificate.serialNumber),
                Value(certificate.notBefore), Value(certificate.notAfter),
                Value(certificate.teamIdentifier), Value(certificate.issuerVerified), Value(time),
            ])
        return true
    }

    /// All certificates of a credential, the one in use (valid longest) first.
    ///
    /// - Throws: ``RegistryError/certificateUnknown(_:)``, `DatabaseError`.
    package static func certificates(
        of id: CredentialIdentifier, in transaction: borrowing Transaction
    ) throws -> [CertificateRecord] {
        try requireCredential(id, in: transaction)
        return try transaction.rows(
            of: """
                SELECT \(CredentialQuery.certificateColumns) FROM certificates AS x
                WHERE x.credential = ?
                ORDER BY x.not_after DESC, x.not_before DESC, x.fingerprint
                """, [.text(id.text)]
        ) { try CredentialQuery.readCertificate($0) }
    }

    /// Records whether a certificate's chain verifies to a root of its realm.
    ///
    /// - Throws: `DatabaseError`. A fingerprint that is not recorded changes nothing.
    package static func setIssuerVerified(
        _ verified: Bool, certificate fingerprint: String, in transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            "UPDATE certificates SET issuer_verified = ? WHERE fingerprint = ?",
            [Value(verified), .text(fingerprint)])
    }

    static func requireCredential(
        _ id: CredentialIdentifier, in transaction: borrowing Transaction
    ) throws {
        guard
            try transaction.hasRow(of: "SELECT 1 FROM credentials WHERE id = ?", [.text(id.text)])
        else {
            throw RegistryError.certificateUnknown(id)
        }
    }
}
