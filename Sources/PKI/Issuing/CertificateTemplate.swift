package import Clocks

/// What a certificate to be made shall say.
///
/// The product issues no certificates: this serves the stand-in for Apple and the tests.
package struct CertificateTemplate: Sendable {
    package var subject: DistinguishedName
    package var publicKey: PublicKey
    package var notBefore: Timestamp
    /// The last second of validity.
    package var notAfter: Timestamp
    /// Big-endian, positive; 16 random bytes unless set.
    package var serialNumber: [UInt8] = Self.randomSerialNumber()
    /// Whether it may issue certificates; basic constraints (critical) are written either way.
    package var isCA = false
    /// How many authorities may stand below it; nil leaves that open.
    package var pathLength: Int?
    /// Written critical; left out when empty.
    package var keyUsage: Set<KeyUsage> = []
    /// Dotted identifiers; left out when empty.
    package var extendedKeyUsage: [String] = []
    package var subjectAlternativeNames: [AlternativeName] = []
    /// Further extensions, such as Apple's; written as they stand, after all others.
    package var extraExtensions: [Certificate.Extension] = []
    /// Whether the key identifiers of subject and issuer are written (RFC 5280 §4.2.1.1 and .2).
    package var hasKeyIdentifiers = true
    package var crlURL: String?
    package var ocspURL: String?
    /// Where the issuer's certificate is published.
    package var issuersURL: String?

    /// A name in the subject alternative name extension.
    package enum AlternativeName: Hashable, Sendable {
        /// A host name as ASCII.
        case dns(String)
        /// An IPv4 (4 bytes) or IPv6 (16 bytes) address in network order.
        case address([UInt8])
    }

    /// A certificate for `publicKey` from `notBefore` up to and with `notAfter`.
    package init(
        subject: DistinguishedName, publicKey: PublicKey, notBefore: Timestamp, notAfter: Timestamp
    ) {
        self.subject = subject
        self.publicKey = publicKey
        self.notBefore = notBefore
        self.notAfter = notAfter
    }

    /// 16 random bytes that are a positive number; RFC 5280 §4.1.2.2 allows up to 20.
    package static func randomSerialNumber() -> [UInt8] {
        var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        // A leading byte of 0x40…0x7F is positive and keeps the length.
        bytes[0] = bytes[0] & 0x3F | 0x40
        return bytes
    }
}
