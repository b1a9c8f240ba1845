import Clocks
import Merchants
import Problems
import Watch

/// What a round of the watch has done.
struct WatchReport: Report {
    let at: Timestamp
    let open: Open
    let raised: Int
    let resolved: Int
    let told: Int
    /// What is owed, ``waiting`` included.
    let untold: Int
    /// What was not tried, because it failed shortly before.
    let waiting: Int
    let unreachable: Int
    let failures: [Failure]

    /// How many alerts are open, by urgency.
    struct Open: Encodable, Sendable {
        let critical: Int
        let warning: Int
        let notice: Int
    }

    /// What could not be looked at or told.
    struct Failure: Encodable, Sendable {
        let code: String
        let summary: String
    }

    init(_ outcome: WatchRound.Outcome, at now: Timestamp, reference: String) {
        let alerts = outcome.alerts
        let counts = alerts.open.reduce(into: [Urgency: Int]()) { $0[$1.urgency, default: 0] += 1 }
        at = now
        open = Open(
            critical: counts[.critical] ?? 0, warning: counts[.warning] ?? 0,
            notice: counts[.fine] ?? 0)
        raised = alerts.raised
        resolved = alerts.resolved
        told = alerts.told
        untold = alerts.untold
        waiting = alerts.waiting
        unreachable = alerts.unreachable
        failures = outcome.allFailures.map { failure in
            let report = ErrorReport(failure, reference: reference)
            return Failure(code: report.code, summary: report.summary)
        }
    }

    /// Such as `2 alerts open (1 critical, 1 warning); 1 raised, 0 resolved; 3 told, 0 untold`.
    var line: String {
        let counts = [
            (open.critical, "critical"), (open.warning, "warning"), (open.notice, "notice"),
        ]
        .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        let total = open.critical + open.warning + open.notice
        let which = counts.isEmpty ? "" : " (\(counts.joined(separator: ", ")))"
        return "\(total) alert\(total == 1 ? "" : "s") open\(which); "
            + "\(raised) raised, \(resolved) resolved; \(told) told, \(untold) untold"
            + (waiting == 0 ? "" : " (\(waiting) to be tried later)")
            + (unreachable > 0 ? ", \(unreachable) unreachable" : "")
    }

    func text(width: Int) -> String { line + "\n" }
}

extension WatchRound.Outcome {
    /// All that went wrong, what was to be looked at first.
    var allFailures: [any Error] {
        blind + alerts.failures.map { $0 as any Error } + errors
    }
}
