/// Something wrong with a certificate that the portal is asked to make, for tests of who reads it.
///
/// The raw value is what `fault=` takes, several separated by commas.
package enum CertificateFlaw: String, Sendable, CaseIterable {
    /// The merchant's hash (6.32) is another one's.
    case wrongHash = "wrong-hash"
    /// The hash is in lower case: not a fault, but seen.
    case lowerCaseHash = "lower-case-hash"
    case missingHash = "missing-hash"
    /// No merchant identity marker (6.46).
    case missingMarker = "missing-marker"
    /// A merchant identity marker on a processing certificate.
    case needlessMarker = "needless-marker"
    case missingClientAuth = "missing-client-auth"
    /// UID, name and hash are those of `merchant.com.example.another`.
    case otherMerchant = "other-merchant"
    /// Certifies a key that nobody has.
    case otherKey = "other-key"
    /// Key usage is that of the other kind.
    case wrongUsage = "wrong-usage"
    /// Valid until yesterday.
    case expired
    /// Valid from tomorrow.
    case notYetValid = "not-yet-valid"
    /// Signed by a key that is not the issuer's, under its name.
    case unknownIssuer = "unknown-issuer"
    /// Issued in the other kind's chain.
    case otherChain = "other-chain"
    /// The common name is `Merchant ID: …`, as before 2017: not a fault, but seen.
    case oldName = "old-name"
    /// A critical extension that nobody knows.
    case criticalExtension = "critical-extension"
}
