/// The object identifiers that the program asks for by name, as dotted text.
package enum OID {
    // Attributes of a subject (RFC 4519).
    package static let commonName = "2.5.4.3"
    package static let country = "2.5.4.6"
    package static let locality = "2.5.4.7"
    package static let state = "2.5.4.8"
    package static let organization = "2.5.4.10"
    package static let organizationalUnit = "2.5.4.11"
    /// In Apple's certificates: the merchant identifier.
    package static let userID = "0.9.2342.19200300.100.1.1"

    // Extended key usages (RFC 5280 §4.2.1.12).
    package static let serverAuth = "1.3.6.1.5.5.7.3.1"
    package static let clientAuth = "1.3.6.1.5.5.7.3.2"
    package static let codeSigning = "1.3.6.1.5.5.7.3.3"
    package static let ocspSigning = "1.3.6.1.5.5.7.3.9"

    // Access methods (RFC 5280 §4.2.2.1).
    package static let ocspAccess = "1.3.6.1.5.5.7.48.1"
    package static let issuersAccess = "1.3.6.1.5.5.7.48.2"

    // Extensions (RFC 5280 §4.2).
    package static let subjectKeyIdentifier = "2.5.29.14"
    package static let keyUsage = "2.5.29.15"
    package static let subjectAlternativeName = "2.5.29.17"
    package static let basicConstraints = "2.5.29.19"
    package static let crlDistributionPoints = "2.5.29.31"
    package static let authorityKeyIdentifier = "2.5.29.35"
    package static let extendedKeyUsage = "2.5.29.37"
    package static let authorityInformationAccess = "1.3.6.1.5.5.7.1.1"

    // Apple's own extensions.

    /// The arc of Apple's certificate extensions, with its final dot.
    package static let appleExtensionArc = "1.2.840.113635.100.6."
    /// UTF8String: upper-case hex SHA-256 of the merchant identifier; in both kinds of certificate.
    package static let appleMerchantHash = "1.2.840.113635.100.6.32"
    /// NULL: this is a merchant identity certificate.
    package static let appleMerchantIdentity = "1.2.840.113635.100.6.46"
    /// NULL: this leaf signs payment tokens and merchant sessions.
    package static let applePaySigner = "1.2.840.113635.100.6.29"
    /// NULL: Apple Application Integration CA - G3.
    package static let appleApplicationIntegrationAuthority = "1.2.840.113635.100.6.2.14"
    /// NULL: Worldwide Developer Relations intermediates that issue to developers.
    package static let appleDeveloperRelationsAuthority = "1.2.840.113635.100.6.2.1"
    /// NULL: Worldwide Developer Relations CA - G2.
    package static let appleDeveloperRelationsAuthorityG2 = "1.2.840.113635.100.6.2.15"
}
