package import Clocks

/// One key of one kind for one merchant, as it is recorded.
package struct Credential: Sendable, Hashable {
    package let id: CredentialIdentifier
    package let merchant: MerchantIdentifier
    package let realm: RealmName
    package let kind: CredentialKind
    package let state: CredentialState
    package let custody: Custody
    /// The payment provider that holds the key; nil under local custody.
    package let provider: String?
    /// SHA-256 of the DER SubjectPublicKeyInfo.
    package let publicKeyHash: [UInt8]
    /// Such as `RSA 2048` or `EC P-256`.
    package let keyAlgorithm: String
    /// The CSR, DER; nil when the key came with its certificate.
    package let csr: [UInt8]?
    /// The certificate in use: of those that fit the key, the one valid longest.
    package let certificate: CertificateRecord?
    package let createdAt: Timestamp
    package let activatedAt: Timestamp?
    package let times: CredentialTimes

    /// Without `times` it is one that is new: its state is as old as itself.
    package init(
        id: CredentialIdentifier, merchant: MerchantIdentifier, realm: RealmName,
        kind: CredentialKind, state: CredentialState, custody: Custody, provider: String?,
        publicKeyHash: [UInt8], keyAlgorithm: String, csr: [UInt8]?,
        certificate: CertificateRecord?, createdAt: Timestamp, activatedAt: Timestamp?,
        times: CredentialTimes? = nil
    ) {
        self.id = id
        self.merchant = merchant
        self.realm = realm
        self.kind = kind
        self.state = state
        self.custody = custody
        self.provider = provider
        self.publicKeyHash = publicKeyHash
        self.keyAlgorithm = keyAlgorithm
        self.csr = csr
        self.certificate = certificate
        self.createdAt = createdAt
        self.activatedAt = activatedAt
        self.times =
            times
            ?? CredentialTimes(
                stateChangedAt: createdAt, retiringSince: state == .retiring ? createdAt : nil)
    }

    /// When it was rolled back (``CredentialTimes/rolledBackAt``).
    package var rolledBackAt: Timestamp? { times.rolledBackAt }
}

/// A credential's name.
package struct CredentialIdentifier: RandomIdentifier {
    package let text: String

    /// An id for documentation and error examples.
    package static let example = CredentialIdentifier(unchecked: "7f3a9c01be42")

    package init(unchecked text: String) { self.text = text }

    package static func malformed(_ text: String) -> MerchantsError {
        .badCredentialIdentifier(text)
    }
}

/// What is kept of a certificate that fits a credential's key.
package struct CertificateRecord: Sendable, Hashable {
    package let der: [UInt8]
    /// SHA-256 of the DER, lower-case hex.
    package let fingerprint: String
    /// The subject in RFC 4514 form.
    package let subject: String
    /// Upper-case hex without separators.
    package let serialNumber: String
    package let notBefore: Timestamp
    package let notAfter: Timestamp
    /// The subject's OU: Apple's team identifier.
    package let teamIdentifier: String?
    /// Whether the chain was verified to a root of the realm when it was imported.
    package let issuerVerified: Bool

    package init(
        der: [UInt8], fingerprint: String, subject: String, serialNumber: String,
        notBefore: Timestamp, notAfter: Timestamp, teamIdentifier: String?, issuerVerified: Bool
    ) {
        self.der = der
        self.fingerprint = fingerprint
        self.subject = subject
        self.serialNumber = serialNumber
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.teamIdentifier = teamIdentifier
        self.issuerVerified = issuerVerified
    }
}
