package import Clocks

/// What the rules need to know of a certificate, free of any library.
package struct CertificateFacts: Sendable, Hashable {
    /// The subject's UID (0.9.2342.19200300.100.1.1): the merchant identifier.
    package var userID: String?
    /// The text of 1.2.840.113635.100.6.32 (64 hex digits), nil when the extension is absent.
    package var merchantHash: String?
    /// Whether 1.2.840.113635.100.6.46 is present.
    package var hasIdentityMarker: Bool
    /// Whether the extended key usage is clientAuth alone.
    package var isForClientAuthentication: Bool
    package var mayEncipherOrAgreeOnKeys: Bool
    package var isCA: Bool
    /// The key, if it is one that Apple certifies; nil for any other.
    package var key: KeyRequirement?
    /// Such as `RSA 1024` or `EC P-384`, for messages.
    package var keyDescription: String
    package var notBefore: Timestamp
    package var notAfter: Timestamp
    package var chain: ChainFact

    package init(
        userID: String?, merchantHash: String?, hasIdentityMarker: Bool,
        isForClientAuthentication: Bool, mayEncipherOrAgreeOnKeys: Bool, isCA: Bool,
        key: KeyRequirement?, keyDescription: String, notBefore: Timestamp, notAfter: Timestamp,
        chain: ChainFact
    ) {
        self.userID = userID
        self.merchantHash = merchantHash
        self.hasIdentityMarker = hasIdentityMarker
        self.isForClientAuthentication = isForClientAuthentication
        self.mayEncipherOrAgreeOnKeys = mayEncipherOrAgreeOnKeys
        self.isCA = isCA
        self.key = key
        self.keyDescription = keyDescription
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.chain = chain
    }
}

/// How a certificate stands to the roots of its merchant's realm.
package enum ChainFact: Sendable, Hashable {
    /// It verifies to one of them.
    case verified
    /// Its issuer is not among what we hold, so nothing can be said.
    case issuerUnknown
    /// Its issuer is known and did not issue it, or must not have.
    case invalid(reason: String)
}
