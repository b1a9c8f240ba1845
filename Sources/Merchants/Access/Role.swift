/// What the holder of an API token may do; each is for itself, and none includes another.
package enum Role: String, Sendable, Hashable, CaseIterable, Comparable {
    /// Asks for merchant sessions.
    case checkout
    /// Registers merchants and domains, asks for certificates, imports, rehearses, activates, retires.
    case `operator`
    /// Verifies and decrypts payment tokens.
    case payments
    /// Reads: merchants, certificates, the ledger; beyond loopback also health and metrics.
    case auditor

    package static func < (one: Role, other: Role) -> Bool {
        one.rawValue < other.rawValue
    }
}
