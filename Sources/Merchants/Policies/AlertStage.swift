/// How far a problem has come, as far as telling of it goes.
///
/// Stages of one policy are ordered: a later one is worse.
package enum AlertStage: Sendable, Hashable {
    /// As many days before an expiry, or fewer; one of ``AlertLadder/thresholds``.
    case days(Int64)
    case expired
    case warning
    case critical

    /// Reads ``text``; nil for anything else.
    package init?(_ text: String) {
        switch text {
        case "expired": self = .expired
        case "warning": self = .warning
        case "critical": self = .critical
        default:
            guard let days = Int64(text), AlertLadder.thresholds.contains(days) else { return nil }
            self = .days(days)
        }
    }

    /// As it is recorded and shown: `90` to `1`, `expired`, `warning`, `critical`.
    package var text: String {
        switch self {
        case .days(let days): "\(days)"
        case .expired: "expired"
        case .warning: "warning"
        case .critical: "critical"
        }
    }

    /// Higher is worse; comparable among the stages of one policy.
    fileprivate var rank: Int64 {
        switch self {
        case .days(let days): -days
        case .expired: 1
        case .warning: 0
        case .critical: 1
        }
    }

    /// Whether it is a later stage than `other` of the same policy.
    package func isWorse(than other: AlertStage) -> Bool { rank > other.rank }
}
