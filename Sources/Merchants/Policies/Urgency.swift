/// How much something matters, by the monitoring convention.
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

    /// As an alert is told: `notice`, `warning` or `critical`.
    ///
    /// An expiry is told long before it is a finding that anything is wrong; then "fine" would say too
    /// little.
    package var alertName: String { self == .fine ? "notice" : name }
}
