import Clocks
package import Merchants
package import PKI

/// A certificate that the portal has made, with what became of it.
package struct IssuedCertificate: Sendable {
    package let certificate: Certificate
    package let merchant: String
    package let kind: CredentialKind
    /// Whether Apple encrypts to its key now; always false for an identity.
    package internal(set) var isActive = false
    /// Whether another one was activated over it, which cannot be undone.
    package internal(set) var isSuperseded = false
    package internal(set) var isRevoked = false
    /// Whether it was made with faults, and so does not count against Apple's limits.
    let isFaulty: Bool

    /// Upper-case hex.
    package var serialNumber: String { certificate.serialNumber }

    /// Whether it counts against Apple's limits: unexpired and unrevoked, in any state.
    func counts(at now: Timestamp) -> Bool {
        !isFaulty && !isRevoked && certificate.notAfter >= now
    }
}
