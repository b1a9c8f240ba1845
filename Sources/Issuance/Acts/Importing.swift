import Clocks
import Database
import Files
import Ledger
package import Merchants
import PKI
import Registry
package import Vault

/// What an import has done.
package struct ImportedCertificate: Sendable {
    package let credential: Credential
    /// False when the same certificate was there already: nothing was changed.
    package let isNew: Bool
    /// Things a person should know, each one sentence.
    package let warnings: [String]
}

extension OpenHome {
    /// Takes in certificates for keys of this home, certificates with their keys, one whose key a
    /// provider holds, or a key whose certificate is still to come.
    ///
    /// Everything is checked before anything is stored: Apple's table, the pair, the chain where the
    /// issuer is known, and that TLS loads it. All or nothing, also where a file holds several;
    /// importing twice is the same as once.
    ///
    /// - Throws: ``CertificateFault``, ``IssuanceError``, ``PKIError``, ``RegistryError``,
    ///   ``VaultError``, ``FileError``, ``DatabaseError``.
    package func importCertificates(
        _ file: ImportFile, for identifier: MerchantIdentifier, vault: Vault
    ) async throws -> [ImportedCertificate] {
        // Somebody is importing the same pair. First its file may be in our way, and then, waiting
        // for the lock, its record; after that all that it has left is known.
        for _ in 0..<2 {
            do {
                return try await importOnce(file, for: identifier, vault: vault)
            } catch FileError.exists, RegistryError.keyKnown {
                continue
            }
        }
        return try await importOnce(file, for: identifier, vault: vault)
    }

    private func importOnce(
        _ file: ImportFile, for identifier: MerchantIdentifier, vault: Vault
    ) async throws -> [ImportedCertificate] {
        let merchant = try await database.read {
            try MerchantRecords.findInService(identifier, in: $0)
        }
        if let key = file.keyAlone {
            return [try await importKey(key, file, for: merchant, vault: vault)]
        }
        var examined: [(material: ImportMaterial, finding: Finding)] = []
        for material in file.materials {
            examined.append(
                (material, try await examine(material, for: merchant, wanted: file.kind)))
        }
        try await settle(identifier, vault: vault)
        let lock = try FileLock.take(layout.keysLock, .shared)
        defer { withExtendedLifetime(lock) {} }

        var steps: [Step] = []
        for (material, finding) in examined {
            let slot = KeySlot(
                merchant: identifier, kind: finding.kind,
                publicKeyHash: material.certificate.publicKey.sha256)
            let known = try await database.read {
                try Credentials.find(
                    publicKeyHash: slot.publicKeyHash, merchant: identifier, kind: finding.kind,
                    in: $0)
            }
            let target = try await target(
                for: known, slot: slot, material, finding, merchant: merchant,
                provider: file.provider)
            steps.append(
                Step(
                    material: material, finding: finding, slot: slot, known: known, target: target))
        }
        // Every pair is loaded before the first file is written.
        for step in steps { try rehearse(step, vault: vault) }
        for step in steps { try keep(step, vault: vault) }
        let areNew = try await record(steps)
        try await writeSideFiles(of: identifier, vault: vault)
        var imported: [ImportedCertificate] = []
        for (step, isNew) in zip(steps, areNew) {
            imported.append(
                try await outcome(
                    of: step.slot, isNew: isNew,
                    warnings: file.warnings + warnings(for: step.finding, merchant), merchant))
        }
        return imported
    }

    private func outcome(
        of slot: KeySlot, isNew: Bool, warnings: [String], _ merchant: Merchant
    ) async throws -> ImportedCertificate {
        let all = try await database.read {
            try Credentials.find(publicKeyHash: slot.publicKeyHash, in: $0)
        }
        guard
            let credential = all.first(where: {
                $0.merchant == slot.merchant && $0.kind == slot.kind
            })
        else { throw VaultError.keyMissing(slot.fingerprint) }
        let sharing = all.filter { $0.id != credential.id }
        return ImportedCertificate(
            credential: credential, isNew: isNew,
            warnings: warnings + self.warnings(about: sharing, merchant))
    }

    // MARK: Examination

    private func examine(
        _ material: ImportMaterial, for merchant: Merchant, wanted: CredentialKind?
    ) async throws -> Finding {
        // Where a field that decides stands twice, nobody can say which one Apple meant.
        let certificate = material.certificate
        guard !certificate.hasMalformedExtensions,
            Set(certificate.extensions.map(\.oid)).count == certificate.extensions.count,
            certificate.subject.all(OID.userID).count <= 1
        else { throw IssuanceError.certificateDamaged }
        let roots = try await roots(of: merchant.realm)
        var facts = CertificateFacts(
            material.certificate, others: material.others, roots: roots)
        // No chain holds with a key that is too short or spelled out, and the key is the reason.
        if facts.key == nil { facts.chain = .issuerUnknown }
        let examination = CertificateExamination(
            merchant: merchant.identifier,
            merchantHash: Hexadecimal.uppercase(
                SHA256.hash(Array(merchant.identifier.text.utf8))), now: clock.now)
        let kind = try examination.kind(of: facts)
        try certificate.checkSignatureAlgorithm()
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

    private func warnings(for finding: Finding, _ merchant: Merchant) -> [String] {
        var warnings: [String] = []
        if finding.chain == .issuerUnknown {
            warnings.append(
                "its issuer is not among the roots of realm \(merchant.realm), so it is unproven")
        }
        if let team = merchant.team, let found = finding.record.teamIdentifier, team != found {
            warnings.append("its team is \(found), and the merchant's is \(team)")
        }
        return warnings
    }

    /// One key for two merchants, or for two kinds: whoever gets hold of it has both, and neither
    /// can be revoked or destroyed without the other in mind.
    func warnings(about sharing: [Credential], _ merchant: Merchant) -> [String] {
        let others = sharing.filter { $0.merchant != merchant.identifier }
        var warnings: [String] = []
        if let first = others.first {
            let merchants = Set(others.map(\.merchant)).count
            warnings.append(
                "its key is also that of \(first.merchant) (credential \(first.id))"
                    + (merchants > 1 ? " and of \(merchants - 1) more" : "")
                    + ": make each merchant a key of its own")
        }
        if let same = sharing.first(where: { $0.merchant == merchant.identifier }) {
            warnings.append(
                "its key is also that of credential \(same.id), for \(same.kind.rawValue):"
                    + " make each kind a key of its own")
        }
        return warnings
    }

    // MARK: Storing

    /// The credential that the certificate belongs to, made if its key came along.
    private func target(
        for known: Credential?, slot: KeySlot, _ material: ImportMaterial, _ found: Finding,
        merchant: Merchant, provider: ProviderName?
    ) async throws -> Credential {
        if let known {
            switch known.state {
            case .revoked, .destroyed: throw IssuanceError.finished(known.id, known.state)
            case .requested, .abandoned:
                // Its key would come into use only to be told that it has expired.
                if found.isExpired { throw CertificateFault.expired(found.record.notAfter) }
            case .issued, .active, .retiring, .retired: break
            }
            if let provider, known.provider != provider.text {
                throw IssuanceError.heldElsewhere(
                    known.id, holder: known.provider ?? "this home")
            }
            return known
        }
        if material.key == nil, let provider {
            return Credential(
                id: .random(), merchant: merchant.identifier, realm: merchant.realm,
                kind: found.kind, state: .issued, custody: .provider, provider: provider.text,
                publicKeyHash: slot.publicKeyHash,
                keyAlgorithm: material.certificate.publicKey.algorithm.description, csr: nil,
                certificate: found.record, createdAt: clock.now, activatedAt: nil)
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

    /// Loads a certificate with the key that is here already into TLS.
    private func rehearse(_ step: Step, vault: Vault) throws {
        guard step.target.custody == .local, step.known != nil || step.material.key == nil else {
            return
        }
        let kept = try vault.key(in: step.slot)
        try step.material.certificate.loadIntoTLS(chain: step.material.others, key: kept.key)
    }

    /// Puts the certificate beside its key, in a file that is durable before the record.
    private func keep(_ step: Step, vault: Vault) throws {
        if step.target.custody == .provider { return }
        let material = step.material
        if step.known == nil, let key = material.key, !vault.holdsKey(in: step.slot) {
            try vault.keep(
                key, certificate: material.certificate, chain: material.others, in: step.slot,
                replacing: false)
            return
        }
        let kept = try vault.key(in: step.slot)
        if let held = kept.certificate {
            // Of several certificates for one key the one valid longest is in use.
            guard held != material.certificate, held.notAfter <= material.certificate.notAfter
            else { return }
        }
        try material.certificate.loadIntoTLS(chain: material.others, key: kept.key)
        try vault.keep(
            kept.key, certificate: material.certificate,
            chain: material.others.isEmpty ? kept.chain : material.others, in: step.slot,
            replacing: true)
    }

    /// Records all steps in one transaction; for each whether it changed anything.
    private func record(_ steps: [Step]) async throws -> [Bool] {
        let now = clock.now
        return try await database.write { transaction in
            var areNew: [Bool] = []
            for step in steps { areNew.append(try record(step, at: now, in: transaction)) }
            return areNew
        }
    }

    private func record(
        _ step: Step, at now: Timestamp, in transaction: borrowing Transaction
    ) throws -> Bool {
        let target = step.target
        // Again, now that nobody can retire the merchant meanwhile.
        _ = try MerchantRecords.findInService(target.merchant, in: transaction)
        if step.known == nil {
            try Credentials.insert(target, in: transaction)
        } else {
            let isAdded = try Credentials.add(
                step.finding.record, to: target.id, at: now, in: transaction)
            let state = try Credentials.find(target.id, in: transaction).state
            let isPending = state == .requested || state == .abandoned
            if isPending {
                try Credentials.move(
                    target.id, from: [state], to: .issued, at: now, in: transaction)
            }
            guard isAdded || isPending else { return false }
        }
        try Credentials.setSideFileDue(true, of: target.id, in: transaction)
        var detail = [
            "credential": target.id.text, "kind": step.finding.kind.rawValue,
            "certificate": step.finding.record.fingerprint,
            "serial": step.finding.record.serialNumber,
            "notAfter": step.finding.record.notAfter.description,
            "withKey": step.material.key == nil ? "no" : "yes",
        ]
        if let provider = target.provider { detail["provider"] = provider }
        try Ledger.append(
            entry(.certificateImported, target.merchant.text, detail), in: transaction)
        return true
    }
}

/// One certificate of an import, on its way.
private struct Step: Sendable {
    let material: ImportMaterial
    let finding: Finding
    let slot: KeySlot
    let known: Credential?
    let target: Credential
}

/// What the examination came to.
private struct Finding: Sendable {
    let kind: CredentialKind
    let record: CertificateRecord
    let isExpired: Bool
    let chain: ChainFact
}
