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
    /// Takes in certificates for keys of this home, certificates with their keys, one whose key a
    /// provider holds, or a key whose certificate is still to come.
    ///
    /// A key that a provider has held until now is taken over.
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
        var examined: [(material: ImportMaterial, finding: ImportFinding)] = []
        for material in file.materials {
            examined.append(
                (material, try await examine(material, for: merchant, wanted: file.kind)))
        }
        try await settle(identifier, vault: vault)
        return try await vault.holding(.shared) {
            try await store(examined, file, for: merchant, vault: vault)
        }
    }

    private func store(
        _ examined: [(material: ImportMaterial, finding: ImportFinding)], _ file: ImportFile,
        for merchant: Merchant, vault: Vault
    ) async throws -> [ImportedCertificate] {
        let identifier = merchant.identifier
        var steps: [ImportStep] = []
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
                ImportStep(
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
                    warnings: file.warnings + warnings(for: step.finding, merchant), merchant,
                    before: step.takesOver ? step.known : nil))
        }
        return imported
    }

    private func outcome(
        of slot: KeySlot, isNew: Bool, warnings: [ImportWarning], _ merchant: Merchant,
        before: Credential?
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
        let takeover = before.map { Self.warnings(aboutTakeover: credential, before: $0) } ?? []
        return ImportedCertificate(
            credential: credential, isNew: isNew,
            warnings: warnings + takeover + self.warnings(about: sharing, merchant))
    }
}

/// One certificate of an import, on its way.
struct ImportStep: Sendable {
    let material: ImportMaterial
    let finding: ImportFinding
    let slot: KeySlot
    let known: Credential?
    let target: Credential

    /// Whether the key of a credential comes along that a provider has held until now.
    var takesOver: Bool { known?.custody == .provider && material.key != nil }
}

/// What the examination came to.
struct ImportFinding: Sendable {
    let kind: CredentialKind
    let record: CertificateRecord
    let isExpired: Bool
    let chain: ChainFact
}
