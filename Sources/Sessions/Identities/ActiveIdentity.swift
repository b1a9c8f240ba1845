package import Clocks
package import Merchants
import PKI
import Transfers
package import Vault

/// A merchant identity certificate with its key, ready to be handed to TLS.
package struct ActiveIdentity: Sendable {
    package let credential: CredentialIdentifier
    /// SHA-256 of the certificate, lower-case hex: what tells one identity's connections from
    /// another's.
    package let fingerprint: String
    package let notAfter: Timestamp
    let client: ClientIdentity

    /// Opens the key in `slot` and pairs it with its certificate.
    ///
    /// - Throws: ``VaultError``, ``PKIError``; also when the two do not fit.
    package init(
        credential: CredentialIdentifier, certificate record: CertificateRecord, in slot: KeySlot,
        of vault: Vault
    ) throws {
        let kept = try vault.key(in: slot)
        let certificate = try Certificate(der: record.der)
        try certificate.loadIntoTLS(chain: kept.chain, key: kept.key)
        self.credential = credential
        fingerprint = record.fingerprint
        notAfter = record.notAfter
        let pem = ([certificate] + kept.chain).map(\.pem).joined()
        client = ClientIdentity(
            certificateChainPEM: Array(pem.utf8), privateKeyPEM: try kept.key.pkcs8PEM())
    }

    /// Opens the key of a whole credential.
    ///
    /// - Throws: ``SessionError/noActiveIdentity(_:)`` without a certificate, and as above.
    package init(opening credential: Credential, in vault: Vault) throws {
        guard let record = credential.certificate else {
            throw SessionError.noActiveIdentity(credential.merchant)
        }
        try self.init(
            credential: credential.id, certificate: record,
            in: KeySlot(credential), of: vault)
    }
}
