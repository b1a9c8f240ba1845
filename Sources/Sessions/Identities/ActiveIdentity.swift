package import Clocks
package import Merchants
package import PKI
package import Transfers
package import Vault

/// A merchant identity certificate with its key, ready to be handed to TLS.
package struct ActiveIdentity: Sendable {
    package let credential: CredentialIdentifier
    /// SHA-256 of the certificate, lower-case hex: what tells one identity's connections from
    /// another's.
    package let fingerprint: String
    package let notAfter: Timestamp
    let client: ClientIdentity

    /// Opens the key of `credential` and pairs it with its certificate.
    ///
    /// - Throws: ``VaultError``, ``PKIError``; also when the two do not fit.
    package init(opening credential: Credential, in vault: Vault) throws {
        guard let record = credential.certificate else {
            throw SessionError.noActiveIdentity(credential.merchant)
        }
        let slot = KeySlot(
            merchant: credential.merchant, kind: credential.kind,
            publicKeyHash: credential.publicKeyHash)
        let kept = try vault.key(in: slot)
        let certificate = try Certificate(der: record.der)
        try certificate.loadIntoTLS(chain: kept.chain, key: kept.key)
        self.credential = credential.id
        fingerprint = record.fingerprint
        notAfter = record.notAfter
        let pem = ([certificate] + kept.chain).map(\.pem).joined()
        client = ClientIdentity(
            certificateChainPEM: Array(pem.utf8), privateKeyPEM: try kept.key.pkcs8PEM())
    }
}
