package import Clocks
package import Merchants
import PKI

/// A credential as JSON; its keys are a contract of the command line and of the HTTP API.
package struct CredentialDocument: Encodable, Sendable {
    package let id: String
    package let merchant: String
    package let kind: String
    package let state: String
    package let custody: String
    /// Who holds the key under custody `provider`.
    @OrNull package var provider: String?
    @OrNull package var subject: String?
    @OrNull package var serialNumber: String?
    @OrNull package var notBefore: Timestamp?
    @OrNull package var notAfter: Timestamp?
    /// SHA-256 of the certificate, lower-case hex.
    @OrNull package var fingerprint: String?
    /// Base64, as in Apple's tokens.
    package let publicKeyHash: String
    package let keyAlgorithm: String
    @OrNull package var teamIdentifier: String?
    @OrNull package var issuerVerified: Bool?
    package let createdAt: Timestamp
    @OrNull package var activatedAt: Timestamp?

    /// The document of `credential`.
    package init(_ credential: Credential) {
        id = credential.id.text
        merchant = credential.merchant.text
        kind = credential.kind.rawValue
        state = credential.state.rawValue
        custody = credential.custody.rawValue
        provider = credential.provider
        publicKeyHash = Base64.encode(credential.publicKeyHash)
        keyAlgorithm = credential.keyAlgorithm
        createdAt = credential.createdAt
        activatedAt = credential.activatedAt
        subject = credential.certificate?.subject
        serialNumber = credential.certificate?.serialNumber
        notBefore = credential.certificate?.notBefore
        notAfter = credential.certificate?.notAfter
        fingerprint = credential.certificate?.fingerprint
        teamIdentifier = credential.certificate?.teamIdentifier
        issuerVerified = credential.certificate?.issuerVerified
    }
}

/// A credential with the CSR of its key, PEM, under `csr`.
package struct RequestDocument: Encodable, Sendable {
    package let credential: CredentialDocument
    /// PEM.
    package let csr: String

    private enum Keys: String, CodingKey { case csr }

    package init(_ credential: Credential, csr: String) {
        self.credential = CredentialDocument(credential)
        self.csr = csr
    }

    package func encode(to encoder: any Encoder) throws {
        try credential.encode(to: encoder)
        var more = encoder.container(keyedBy: Keys.self)
        try more.encode(csr, forKey: .csr)
    }
}
