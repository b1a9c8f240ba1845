package import Clocks

/// How near an expiry is, by the monitoring convention.
package enum Urgency: Int, Sendable, Comparable, CaseIterable {
    case fine = 0
    case warning = 1
    case critical = 2

    package static func < (one: Urgency, other: Urgency) -> Bool { one.rawValue < other.rawValue }

    /// `fine`, `warning` or `critical`.
    package var name: String {
        switch self {
        case .fine: "fine"
        case .warning: "warning"
        case .critical: "critical"
        }
    }
}

/// When an expiry becomes worth a warning.
package struct ExpiryPolicy: Sendable, Hashable {
    /// Days left, or fewer, that make a warning (30 by default, as Apple mails).
    package let warningDays: Int64
    /// Days left, or fewer, that are critical (7 by default).
    package let criticalDays: Int64

    package init(warningDays: Int64, criticalDays: Int64) {
        self.warningDays = warningDays
        self.criticalDays = criticalDays
    }

    /// Judges a certificate that ends at `notAfter`; an expired one is critical.
    package func urgency(of notAfter: Timestamp, at now: Timestamp) -> Urgency {
        let left = notAfter.days(since: now)
        if left <= criticalDays { return .critical }
        return left <= warningDays ? .warning : .fine
    }
}

/// Which of a merchant's credentials of one kind its expiry is judged by.
///
/// The active one; where none is active, the issued one that lasts longest. Superseded, given up and
/// revoked ones never raise an alarm.
package struct BestCredential: Sendable {
    /// The credential to judge, once all have been offered.
    package private(set) var best: Credential?

    package init() {}

    /// Considers one more credential of the same merchant and kind.
    package mutating func offer(_ credential: Credential) {
        guard let certificate = credential.certificate, let rank = Self.rank(credential.state)
        else { return }
        guard let held = best, let heldCertificate = held.certificate,
            let heldRank = Self.rank(held.state)
        else {
            best = credential
            return
        }
        if (rank, certificate.notAfter) > (heldRank, heldCertificate.notAfter) {
            best = credential
        }
    }

    private static func rank(_ state: CredentialState) -> Int? {
        switch state {
        case .active: 2
        case .issued: 1
        case .requested, .retiring, .retired, .abandoned, .revoked, .destroyed: nil
        }
    }
}
