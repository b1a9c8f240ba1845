import Clocks
import Database
import Ledger
package import Merchants
import PKI
import Registry
package import Secrets
package import Vault

extension OpenHome {
    /// A credential's key and certificate as one PKCS#12 file under `password`.
    ///
    /// The profile `modern`: PBES2 with PBKDF2-HMAC-SHA256 and AES-256-CBC, HMAC-SHA256 over all.
    /// OpenSSL 3, Java 17, current macOS and Windows read it. With a person's password iterations
    /// matter, so there are many more than in the vault.
    ///
    /// The ledger's entry is written before the file is handed out: an export that fails afterwards
    /// is recorded as one, never the other way round.
    ///
    /// - Throws: ``IssuanceError/noCertificate(_:)``, ``IssuanceError/noKeyHere(_:)``,
    ///   ``VaultError``, ``RegistryError``, ``DatabaseError``, ``PKIError``.
    package func export(
        _ id: CredentialIdentifier, password: SecretBytes, vault: Vault
    ) async throws -> [UInt8] {
        try await settle(merchant(of: id), vault: vault)
        let credential = try await database.read { try Credentials.find(id, in: $0) }
        guard credential.custody == .local, credential.state != .destroyed else {
            throw IssuanceError.noKeyHere(id)
        }
        guard let record = credential.certificate else { throw IssuanceError.noCertificate(id) }
        let kept = try vault.key(
            in: KeySlot(
                merchant: credential.merchant, kind: credential.kind,
                publicKeyHash: credential.publicKeyHash))
        let bundle = try PKCS12.make(
            key: kept.key, certificate: Certificate(der: record.der), chain: kept.chain,
            friendlyName: "\(credential.merchant) \(credential.kind.rawValue)",
            password: password, iterations: Self.exportIterations)
        let entry = entry(
            .certificateExported, credential.merchant.text,
            [
                "credential": id.text, "kind": credential.kind.rawValue,
                "profile": "modern",
            ])
        try await database.write { try Ledger.append(entry, in: $0) }
        return bundle
    }

    /// PBKDF2's iterations for a file under a person's password.
    private static let exportIterations = 100_000
}
