import Clocks
import Database
import Files
import Ledger
package import Merchants
import PKI
import Registry
package import Secrets
package import Vault

/// What an import has done.
package struct ImportedCertificate: Sendable {
    package let credential: Credential
    /// False when the same certificate was there already: nothing was changed.
    package let isNew: Bool
    /// Things a person should know.
    package let warnings: [ImportWarning]
}

/// Something about a certificate that was taken in nevertheless.
package struct ImportWarning: Sendable, Equatable {
    /// One sentence.
    package let text: String
    /// The next step, where there is one; one sentence.
    package let hint: String?

    init(_ text: String, hint: String? = nil) {
        (self.text, self.hint) = (text, hint)
    }
}

extension OpenHome {
    /// Takes in a certificate for a key of this home, or a certificate with its key.
    ///
    /// Everything is checked before anything is stored: the shape, Apple's table, the pair, the
    /// chain where the issuer is known, and that TLS loads it. All or nothing; importing twice is
    /// the same as once.
    ///
    /// - Throws: ``CertificateFault``, ``IssuanceError``, ``PKIError``, ``RegistryError``,
    ///   ``VaultError``, ``FileError``, ``DatabaseError``.
    package func importCertificate(
        _ file: SecretBytes, keyFile: SecretBytes?, kind wanted: CredentialKind?,
        for identifier: MerchantIdentifier, vault: Vault
    ) async throws -> ImportedCertificate {
        // Somebody is importing the same pair. First its file may be in our way, and then, waiting
        // for the lock, its record; after that all that it has left is known.
        for _ in 0..<2 {
            do {
                return try await importOnce(
                    file, keyFile: keyFile, kind: wanted, for: identifier, vault: vault)
            } catch FileError.exists, RegistryError.keyKnown {
                continue
            }
        }
        return try await importOnce(
            file, keyFile: keyFile, kind: wanted, for: identifier, vault: vault)
    }

    private func importOnce(
        _ file: SecretBytes, keyFile: SecretBytes?, kind wanted: CredentialKind?,
        for identifier: MerchantIdentifier, vault: Vault
    ) async throws -> ImportedCertificate {
        let material = try ImportFile(file, keyFile: keyFile)
        let merchant = try await database.read {
            try MerchantRecords.findInService(identifier, in: $0)
        }
        let found = try await examine(material, for: merchant, wanted: wanted)
        try await settle(identifier, vault: vault)
        let lock = try FileLock.take(layout.keysLock, .shared)
        defer { withExtendedLifetime(lock) {} }

        let slot = KeySlot(
            merchant: identifier, kind: found.kind,
            publicKeyHash: material.certificate.publicKey.sha256)
        let known = try await database.read {
            try Credentials.find(
                publicKeyHash: slot.publicKeyHash, merchant: identifier, kind: found.kind, in: $0)
        }
        let target = try await target(
            for: known, slot: slot, material, found, merchant: merchant)
        try keep(material, known: known, slot: slot, vault: vault)
        let isNew = try await record(material, target, known: known, found)
        try await writeSideFiles(of: identifier, vault: vault)
        let credential = try await database.read { transaction in
            guard
                let credential = try Credentials.find(
                    publicKeyHash: slot.publicKeyHash, merchant: identifier, kind: found.kind,
                    in: transaction)
            else { throw RegistryError.certificateUnknown(target.id) }
            return credential
        }
        let sharing = try await database.read { transaction in
            try Credentials.find(publicKeyHash: slot.publicKeyHash, in: transaction).filter {
                $0.id != credential.id
            }
        }
        return ImportedCertificate(
            credential: credential, isNew: isNew,
            warnings: warnings(for: found, merchant) + warnings(about: sharing, merchant))
    }

    // MARK: Examination

    /// What the examination came to.
    private struct Finding {
        let kind: CredentialKind
        let record: CertificateRecord
        let isExpired: Bool
        let chain: ChainFact
    }

    private func examine(
        _ material: ImportFile, for merchant: Merchant, wanted: CredentialKind?
    ) async throws -> Finding {
        // Where a field that decides stands twice, nobody can say which one Apple meant.
        let certificate = material.certificate
        guard !certificate.hasMalformedExtensions,
            Set(certificate.extensions.map(\.oid)).count == certificate.extensions.count,
            certificate.subject.all(OID.userID).count <= 1
        else { throw IssuanceError.certificateDamaged }
        let roots = try await roots(of: merchant.realm)
        let facts = CertificateFacts(
            material.certificate, others: material.others, roots: roots)
        let examination = CertificateExamination(
            merchant: merchant.identifier,
            merchantHash: Hexadecimal.uppercase(
                SHA256.hash(Array(merchant.identifier.text.utf8))), now: clock.now)
        let kind = try examination.kind(of: facts)
        if let wanted, wanted != kind { throw CertificateFault.otherKind(kind, expected: wanted) }
        var isExpired = false
        do throws(CertificateFault) {
            try examination.checkValidity(of: facts)
        } catch {
            // An expired processing pair still opens old tokens; every other is of no use.
            guard case .expired = error, kind.isProcessing, material.key != nil else { throw error }
            isExpired = true
        }
        if let key = material.key {
            try material.certificate.loadIntoTLS(chain: material.others, key: key)
        }
        return Finding(
            kind: kind,
            record: CertificateRecord(
                material.certificate, issuerVerified: facts.chain == .verified),
            isExpired: isExpired, chain: facts.chain)
    }

    private func warnings(for finding: Finding, _ merchant: Merchant) -> [ImportWarning] {
        var warnings: [ImportWarning] = []
        if finding.chain == .issuerUnknown {
            warnings.append(
                ImportWarning(
                    "its issuer is not among the roots of realm \(merchant.realm), so it is unproven",
                    hint: merchant.realm == .apple
                        ? "see who issued it: openssl x509 -noout -issuer -in FILE"
                        : "give its root: purser environment add NAME --realm \(merchant.realm) "
                            + "--gateway URL --apple-root FILE"))
        }
        if let team = merchant.team, let found = finding.record.teamIdentifier, team != found {
            warnings.append(
                ImportWarning(
                    "its team is \(found), and the merchant's is \(team)",
                    hint:
                        "if that is right: purser merchant set \(merchant.identifier) --team \(found)"
                ))
        }
        return warnings
    }

    /// One key for two merchants, or for two kinds: whoever gets hold of it has both, and neither
    /// can be revoked or destroyed without the other in mind.
    private func warnings(about sharing: [Credential], _ merchant: Merchant) -> [ImportWarning] {
        let others = sharing.filter { $0.merchant != merchant.identifier }
        var warnings: [ImportWarning] = []
        if let first = others.first {
            let merchants = Set(others.map(\.merchant)).count
            warnings.append(
                ImportWarning(
                    "its key is also that of \(first.merchant) (credential \(first.id))"
                        + (merchants > 1 ? " and of \(merchants - 1) more" : "")
                        + ": make each merchant a key of its own"))
        }
        if let same = sharing.first(where: { $0.merchant == merchant.identifier }) {
            warnings.append(
                ImportWarning(
                    "its key is also that of credential \(same.id), for \(same.kind.rawValue):"
                        + " make each kind a key of its own"))
        }
        return warnings
    }

    // MARK: Storing

    /// The credential that the certificate belongs to, made if its key came along.
    private func target(
        for known: Credential?, slot: KeySlot, _ material: ImportFile, _ found: Finding,
        merchant: Merchant
    ) async throws -> Credential {
        if let known {
            switch known.state {
            case .revoked, .destroyed: throw IssuanceError.finished(known.id, known.state)
            case .requested, .abandoned:
                // Its key would come into use only to be told that it has expired.
                if found.isExpired { throw CertificateFault.expired(found.record.notAfter) }
            case .issued, .active, .retiring, .retired: break
            }
            return known
        }
        guard let key = material.key else {
            let elsewhere = try await database.read {
                try Credentials.find(publicKeyHash: slot.publicKeyHash, in: $0)
            }
            if let other = elsewhere.first(where: { $0.merchant == merchant.identifier }) {
                throw CertificateFault.otherKind(found.kind, expected: other.kind)
            }
            throw CertificateFault.keyNotOurs
        }
        return Credential(
            id: .random(), merchant: merchant.identifier, realm: merchant.realm, kind: found.kind,
            state: found.isExpired ? .retired : .issued, custody: .local, provider: nil,
            publicKeyHash: slot.publicKeyHash,
            keyAlgorithm: key.publicKey.algorithm.description, csr: nil,
            certificate: found.record, createdAt: clock.now, activatedAt: nil)
    }

    /// Puts the certificate beside its key, in a file that is durable before the record.
    private func keep(
        _ material: ImportFile, known: Credential?, slot: KeySlot, vault: Vault
    ) throws {
        if known?.custody == .provider { return }
        if known == nil, let key = material.key, !vault.holdsKey(in: slot) {
            try vault.keep(
                key, certificate: material.certificate, chain: material.others, in: slot,
                replacing: false)
            return
        }
        let kept = try vault.key(in: slot)
        if let held = kept.certificate {
            // Of several certificates for one key the one valid longest is in use.
            guard held != material.certificate, held.notAfter <= material.certificate.notAfter
            else { return }
        }
        try material.certificate.loadIntoTLS(chain: material.others, key: kept.key)
        try vault.keep(
            kept.key, certificate: material.certificate,
            chain: material.others.isEmpty ? kept.chain : material.others, in: slot,
            replacing: true)
    }

    private func record(
        _ material: ImportFile, _ target: Credential, known: Credential?, _ found: Finding
    ) async throws -> Bool {
        let now = clock.now
        return try await database.write { transaction in
            // Again, now that nobody can retire the merchant meanwhile.
            _ = try MerchantRecords.findInService(target.merchant, in: transaction)
            if known == nil {
                try Credentials.insert(target, in: transaction)
            } else {
                let isAdded = try Credentials.add(
                    found.record, to: target.id, at: now, in: transaction)
                let state = try Credentials.find(target.id, in: transaction).state
                let isPending = state == .requested || state == .abandoned
                if isPending {
                    try Credentials.move(
                        target.id, from: [state], to: .issued, at: now, in: transaction)
                }
                guard isAdded || isPending else { return false }
            }
            try Credentials.setSideFileDue(true, of: target.id, in: transaction)
            try Ledger.append(
                entry(
                    .certificateImported, target.merchant.text,
                    [
                        "credential": target.id.text, "kind": found.kind.rawValue,
                        "certificate": found.record.fingerprint,
                        "serial": found.record.serialNumber,
                        "notAfter": found.record.notAfter.description,
                        "withKey": material.key == nil ? "no" : "yes",
                    ]), in: transaction)
            return true
        }
    }
}
