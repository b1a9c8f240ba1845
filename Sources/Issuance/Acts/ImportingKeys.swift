import Clocks
import Database
import Files
import Ledger
import Merchants
import PKI
import Registry
import Vault

extension OpenHome {
    /// Keeps a key that was made elsewhere until its certificate comes.
    ///
    /// It waits like one made here, with a CSR of its own: any CSR of a key leads to the same
    /// certificate. A key that is known already is left as it is, and one that a provider has held
    /// is taken over.
    ///
    /// - Throws: ``CertificateFault/wrongKey(_:kind:)``, ``IssuanceError/finished(_:_:)``,
    ///   ``RegistryError``, ``VaultError``, ``FileError``, ``DatabaseError``.
    func importKey(
        _ key: PrivateKey, _ file: ImportFile, for merchant: Merchant, vault: Vault
    ) async throws -> ImportedCertificate {
        guard let kind = file.kind else { throw IssuanceError.keyWithoutCertificate }
        let algorithm = key.publicKey.algorithm
        guard algorithm == KeyAlgorithm(kind.requiredKey) else {
            throw CertificateFault.wrongKey(algorithm.description, kind: kind)
        }
        try await settle(merchant.identifier, vault: vault)
        return try await vault.holding(.shared) {
            try await keep(key, kind, file, for: merchant, vault: vault)
        }
    }

    private func keep(
        _ key: PrivateKey, _ kind: CredentialKind, _ file: ImportFile, for merchant: Merchant,
        vault: Vault
    ) async throws -> ImportedCertificate {
        let slot = KeySlot(
            merchant: merchant.identifier, kind: kind, publicKeyHash: key.publicKey.sha256)
        let all = try await database.read {
            try Credentials.find(publicKeyHash: slot.publicKeyHash, in: $0)
        }
        let known = all.first { $0.merchant == merchant.identifier && $0.kind == kind }
        if let known {
            if known.state == .revoked || known.state == .destroyed {
                throw IssuanceError.finished(known.id, known.state)
            }
            guard known.custody == .provider else {
                return ImportedCertificate(
                    credential: known, isNew: false, warnings: file.warnings)
            }
            try await takeOver(known, key: key, in: slot, vault: vault)
            try await writeSideFiles(of: merchant.identifier, vault: vault)
            let taken = try await database.read { try Credentials.find(known.id, in: $0) }
            return ImportedCertificate(
                credential: taken, isNew: true,
                warnings: file.warnings + Self.warnings(aboutTakeover: taken, before: known))
        }
        let csr = try CertificateSigningRequest.make(
            subject: Self.requestSubject(merchant, kind), key: key)
        if !vault.holdsKey(in: slot) {
            try vault.keep(key, certificate: nil, chain: [], in: slot, replacing: false)
        }
        let credential = Credential(
            id: .random(), merchant: merchant.identifier, realm: merchant.realm, kind: kind,
            state: .requested, custody: .local, provider: nil,
            publicKeyHash: slot.publicKeyHash, keyAlgorithm: key.publicKey.algorithm.description,
            csr: csr.der,
            certificate: nil, createdAt: clock.now, activatedAt: nil)
        let entry = entry(
            .certificateImported, merchant.identifier.text,
            [
                "credential": credential.id.text, "kind": kind.rawValue, "key": slot.fingerprint,
                "withKey": "yes", "certificate": "none yet",
            ])
        try await database.write { transaction in
            try Credentials.insert(credential, in: transaction)
            try Credentials.setSideFileDue(true, of: credential.id, in: transaction)
            try Ledger.append(entry, in: transaction)
        }
        try await writeSideFiles(of: merchant.identifier, vault: vault)
        return ImportedCertificate(
            credential: credential, isNew: true,
            warnings: file.warnings + warnings(about: all, merchant))
    }
}
