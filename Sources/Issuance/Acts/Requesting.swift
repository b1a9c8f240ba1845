import Clocks
import Database
import Files
import Ledger
package import Merchants
package import PKI
import Registry
package import Vault

/// A new key's CSR, to be uploaded in Apple's portal.
package struct RequestedCertificate: Sendable {
    package let credential: Credential
    package let csr: CertificateSigningRequest
}

extension OpenHome {
    /// Makes a key of the kind that Apple demands and a CSR for it.
    ///
    /// The key is durable before this returns, so before its CSR leaves the process. A pending key
    /// is never overwritten: several may wait at once. Apple ignores the CSR's subject; it names the
    /// merchant for the people who handle the file.
    ///
    /// - Throws: ``RegistryError``, ``VaultError``, ``FileError``, ``DatabaseError``, ``PKIError``.
    package func request(
        _ kind: CredentialKind, for identifier: MerchantIdentifier, vault: Vault
    ) async throws -> RequestedCertificate {
        try await settle(identifier, vault: vault)
        let merchant = try await database.read {
            try MerchantRecords.findInService(identifier, in: $0)
        }
        // Held until the record is written: nobody may take the key for a lost one meanwhile.
        return try await vault.holding(.shared) {
            try await request(kind, of: merchant, vault: vault)
        }
    }

    private func request(
        _ kind: CredentialKind, of merchant: Merchant, vault: Vault
    ) async throws -> RequestedCertificate {
        let identifier = merchant.identifier
        let key = try PrivateKey.generate(KeyAlgorithm(kind.requiredKey))
        let csr = try CertificateSigningRequest.make(
            subject: Self.requestSubject(merchant, kind), key: key)
        let slot = KeySlot(
            merchant: identifier, kind: kind, publicKeyHash: key.publicKey.sha256)
        try vault.keep(key, certificate: nil, chain: [], in: slot, replacing: false)
        let credential = Credential(
            id: .random(), merchant: identifier, realm: merchant.realm, kind: kind,
            state: .requested, custody: .local, provider: nil,
            publicKeyHash: slot.publicKeyHash,
            keyAlgorithm: key.publicKey.algorithm.description, csr: csr.der, certificate: nil,
            createdAt: clock.now, activatedAt: nil)
        let entry = entry(
            .certificateRequested, identifier.text,
            ["credential": credential.id.text, "kind": kind.rawValue, "key": slot.fingerprint])
        try await database.write { transaction in
            try Credentials.insert(credential, in: transaction)
            try Credentials.setSideFileDue(true, of: credential.id, in: transaction)
            try Ledger.append(entry, in: transaction)
        }
        try await writeSideFiles(of: identifier, vault: vault)
        return RequestedCertificate(credential: credential, csr: csr)
    }

    static func requestSubject(_ merchant: Merchant, _ kind: CredentialKind) -> DistinguishedName {
        // RFC 5280 upper bound: a common name has at most 64 characters.
        let name = String("\(kind.rawValue) \(merchant.identifier)".prefix(64))
        return DistinguishedName([
            DistinguishedName.Attribute(OID.commonName, name)
        ])
    }
}

extension KeyAlgorithm {
    /// What has to be generated for a requirement of Apple's.
    init(_ requirement: KeyRequirement) {
        switch requirement {
        case .rsa2048: self = .rsa2048
        case .ecP256: self = .ecP256
        }
    }
}
