/// Why a certificate is revoked, by the names of RFC 5280 §5.3.1 that fit a merchant's certificate.
package enum RevocationReason: String, Sendable, Hashable, CaseIterable {
    /// Somebody else has the key, or may have it.
    case keyCompromise = "key-compromise"
    /// The issuer's own key is no longer trusted.
    case authorityCompromise = "ca-compromise"
    /// The shop, the team or the provider has changed.
    case affiliationChanged = "affiliation-changed"
    /// Another certificate has taken its place.
    case superseded
    /// The merchant identifier is no longer used.
    case cessationOfOperation = "cessation-of-operation"
}
