package import Clocks

/// What an issuer says of one of its certificates (RFC 6960 §4.2.1), signed and current.
package struct OCSPAnswer: Sendable, Hashable {
    /// The certificate's standing with who issued it.
    package enum Standing: Sendable, Hashable {
        /// It is not revoked; nothing more is meant by it (RFC 6960 §2.2).
        case good
        /// It is revoked, or on hold, since that moment.
        case revoked(at: Timestamp, reason: CRLReason?)
        /// The responder does not know this certificate.
        case unknown
    }

    package let standing: Standing
    /// When the answer was signed.
    package let producedAt: Timestamp
    /// When this was known to be right.
    package let thisUpdate: Timestamp
    /// When there is newer information at the latest; nil: at any time.
    package let nextUpdate: Timestamp?
}

/// Why a certificate was revoked (RFC 5280 §5.3.1); the raw value is the number on the wire.
package enum CRLReason: Int, Sendable, Hashable, CaseIterable {
    case unspecified = 0
    case keyCompromise = 1
    case authorityCompromise = 2
    case affiliationChanged = 3
    case superseded = 4
    case cessationOfOperation = 5
    case certificateHold = 6
    // 7 is not used.
    case removeFromCRL = 8
    case privilegeWithdrawn = 9
    case attributeAuthorityCompromise = 10

    /// The reason in words, such as `key compromise`.
    package var words: String {
        switch self {
        case .unspecified: "no reason given"
        case .keyCompromise: "key compromise"
        case .authorityCompromise: "compromise of the authority"
        case .affiliationChanged: "affiliation changed"
        case .superseded: "superseded"
        case .cessationOfOperation: "cessation of operation"
        case .certificateHold: "on hold"
        case .removeFromCRL: "hold lifted"
        case .privilegeWithdrawn: "privilege withdrawn"
        case .attributeAuthorityCompromise: "compromise of the attribute authority"
        }
    }
}
