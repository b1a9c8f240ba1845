import Clocks
import Database
import Ledger
import Merchants
import PKI
import Registry
import Vault

/// How an import is stored: files first, then one transaction.
extension OpenHome {
    /// The credential that the certificate belongs to, made if its key came along.
    func target(
        for known: Credential?, slot: KeySlot, _ material: ImportMaterial, _ found: ImportFinding,
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
    func rehearse(_ step: ImportStep, vault: Vault) throws {
        guard step.target.custody == .local, step.known != nil || step.material.key == nil else {
            return
        }
        let kept = try vault.key(in: step.slot)
        try step.material.certificate.loadIntoTLS(chain: step.material.others, key: kept.key)
    }

    /// Puts the certificate beside its key, in a file that is durable before the record.
    func keep(_ step: ImportStep, vault: Vault) throws {
        if step.target.custody == .provider, !step.takesOver { return }
        let material = step.material
        if step.known == nil || step.takesOver, let key = material.key,
            !vault.holdsKey(in: step.slot)
        {
            // A provider's certificate may be recorded that is valid longer than this one.
            let isNewest = step.known?.certificate.map {
                $0.notAfter <= material.certificate.notAfter
            }
            if isNewest ?? true {
                try vault.keep(
                    key, certificate: material.certificate, chain: material.others, in: step.slot,
                    replacing: false)
            } else {
                let newest = try step.known?.certificate.map { try Certificate(der: $0.der) }
                try newest?.loadIntoTLS(chain: [], key: key)
                try vault.keep(key, certificate: newest, chain: [], in: step.slot, replacing: false)
            }
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
    func record(_ steps: [ImportStep]) async throws -> [Bool] {
        let now = clock.now
        return try await database.write { transaction in
            var areNew: [Bool] = []
            for step in steps { areNew.append(try record(step, at: now, in: transaction)) }
            return areNew
        }
    }

    private func record(
        _ step: ImportStep, at now: Timestamp, in transaction: borrowing Transaction
    ) throws -> Bool {
        let target = step.target
        // Again, now that nobody can retire the merchant meanwhile.
        _ = try MerchantRecords.findInService(target.merchant, in: transaction)
        if step.known == nil {
            try Credentials.insert(target, in: transaction)
        } else {
            let isTakenOver = step.takesOver ? try takeOver(target.id, in: transaction) : false
            let isAdded = try Credentials.add(
                step.finding.record, to: target.id, at: now, in: transaction)
            let state = try Credentials.find(target.id, in: transaction).state
            let isPending = state == .requested || state == .abandoned
            if isPending {
                try Credentials.move(
                    target.id, from: [state], to: .issued, at: now, in: transaction)
            }
            guard isAdded || isPending else { return isTakenOver }
        }
        try Credentials.setSideFileDue(true, of: target.id, in: transaction)
        var detail = [
            "credential": target.id.text, "kind": step.finding.kind.rawValue,
            "certificate": step.finding.record.fingerprint,
            "serial": step.finding.record.serialNumber,
            "notAfter": step.finding.record.notAfter.description,
            "withKey": step.material.key == nil ? "no" : "yes",
        ]
        if !step.takesOver, let provider = target.provider { detail["provider"] = provider }
        try Ledger.append(
            entry(.certificateImported, target.merchant.text, detail), in: transaction)
        return true
    }
}
