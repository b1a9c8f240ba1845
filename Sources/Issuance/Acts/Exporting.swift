import Clocks
import Database
import Ledger
package import Merchants
import PKI
import Registry
package import Secrets
package import Vault

extension OpenHome {
    /// A credential's key and certificate in one file under `password`, which may be empty.
    ///
    /// With a person's password iterations matter, so there are many more than in the vault.
    ///
    /// The ledger's entry is written before the file is handed out: an export that fails afterwards
    /// is recorded as one, never the other way round.
    ///
    /// - Throws: ``IssuanceError/noCertificate(_:)``, ``IssuanceError/noKeyHere(_:)``,
    ///   ``VaultError``, ``RegistryError``, ``DatabaseError``, ``PKIError``.
    package func export(
        _ id: CredentialIdentifier, as profile: KeyProfile = .modern, password: SecretBytes,
        vault: Vault
    ) async throws -> [UInt8] {
        try await settle(merchant(of: id), vault: vault)
        let credential = try await database.read { try Credentials.find(id, in: $0) }
        guard credential.custody == .local, credential.state != .destroyed else {
            throw IssuanceError.noKeyHere(id)
        }
        guard let record = credential.certificate else { throw IssuanceError.noCertificate(id) }
        let kept = try vault.key(
            in: KeySlot(credential))
        let file = try Self.file(
            kept, Certificate(der: record.der), as: profile,
            named: "\(credential.merchant) \(credential.kind.rawValue)", password: password)
        var detail = [
            "credential": id.text, "kind": credential.kind.rawValue, "profile": profile.rawValue,
        ]
        if password.count == 0 { detail["password"] = "empty" }
        let entry = entry(.certificateExported, credential.merchant.text, detail)
        try await database.write { try Ledger.append(entry, in: $0) }
        return file
    }

    private static func file(
        _ kept: KeptKey, _ certificate: Certificate, as profile: KeyProfile, named name: String,
        password: SecretBytes
    ) throws -> [UInt8] {
        switch profile {
        case .modern, .legacy:
            return try PKCS12.make(
                key: kept.key, certificate: certificate, chain: kept.chain, friendlyName: name,
                password: password, iterations: exportIterations,
                encryption: profile == .legacy ? .legacy : .modern)
        case .pem:
            let key = try kept.key.encryptedPKCS8PEM(
                password: password, iterations: exportIterations)
            let certificates = [certificate] + kept.chain
            return Array((key + certificates.map(\.pem).joined()).utf8)
        }
    }

    /// A credential's certificate as PEM; it is no secret and needs no key.
    ///
    /// - Throws: ``IssuanceError/noCertificate(_:)``, ``RegistryError``, ``DatabaseError``.
    package func exportCertificate(_ id: CredentialIdentifier) async throws -> [UInt8] {
        let credential = try await database.read { try Credentials.find(id, in: $0) }
        guard let record = credential.certificate else { throw IssuanceError.noCertificate(id) }
        return Array(PEMDocument.text(label: "CERTIFICATE", record.der).utf8)
    }

    /// PBKDF2's iterations for a file under a person's password.
    private static let exportIterations = 100_000
}
