package import Clocks

/// All that policies and rotations go by: one merchant's credentials of one kind, at one moment.
///
/// A provider's identities stand beside ours: neither takes the other's place, so each are judged by
/// themselves. Of a processing kind Apple has one active, whoever holds its key.
package struct KindFacts: Sendable, Hashable {
    package let merchant: MerchantIdentifier
    package let kind: CredentialKind
    /// The team that the merchant was registered with, when told.
    package let team: String?
    /// Whether sessions are expected of it: it has a registered domain.
    package let hasDomains: Bool
    /// Of this kind, oldest first; of an identity those of one custody.
    package var credentials: [CredentialFacts]
    package let windows: Windows
    package let periods: RotationPeriods
    package let now: Timestamp

    package init(
        merchant: MerchantIdentifier, kind: CredentialKind, team: String?, hasDomains: Bool,
        credentials: [CredentialFacts], windows: Windows, periods: RotationPeriods,
        now: Timestamp
    ) {
        self.merchant = merchant
        self.kind = kind
        self.team = team
        self.hasDomains = hasDomains
        self.credentials = credentials
        self.windows = windows
        self.periods = periods
        self.now = now
    }

    /// The one in use.
    package var active: CredentialFacts? {
        credentials.first { $0.state == .active }
    }

    /// Who holds the keys, for an identity; a processing kind counts as ours.
    package var custody: Custody {
        kind.isProcessing ? .local : credentials.first?.custody ?? .local
    }

    /// The one that expiry is judged by: the one in use; else the issued one that lasts longest.
    ///
    /// Superseded, given up and revoked ones never raise an alarm.
    package var best: CredentialFacts? {
        if let active { return active }
        return credentials.filter { $0.state == .issued && $0.notAfter != nil }.max {
            ($0.notAfter ?? .distantPast) < ($1.notAfter ?? .distantPast)
        }
    }

    /// Those that wait to take the place of the one in use, and would last longer than it; where
    /// that one is of no use, whatever is valid.
    package var candidates: [CredentialFacts] {
        let end = active.flatMap { $0.isUnfit ? nil : $0.notAfter } ?? .distantPast
        return credentials.filter {
            $0.isCandidate(at: now) && ($0.state == .requested || ($0.notAfter ?? end) > end)
        }
    }

    /// Whether any was ever in use.
    var wasInUse: Bool { credentials.contains(where: \.wasInUse) }
}

extension Timestamp {
    /// Before and after everything that is recorded; for comparisons alone.
    static let distantPast = Timestamp(seconds: .min / 4)
    static let distantFuture = Timestamp(seconds: .max / 4)
}
