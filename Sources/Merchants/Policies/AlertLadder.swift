package import Clocks

/// When a problem is told, and when again: pure, so that years of it can be tried in a test.
///
/// An expiry is told at ``thresholds`` and when it has come, once each on each channel; after a gap
/// only the tightest is told, not those that were missed. In the last three days and after the
/// expiry it is told daily. Any other problem is told once for each urgency, and daily while it is
/// critical. An acknowledgement ends what is daily until the next stage.
package enum AlertLadder {
    /// Days left at which an expiry is told, the widest first.
    package static let thresholds: [Int64] = [90, 60, 30, 14, 7, 3, 1]
    /// From so many days left on it is told daily.
    package static let dailyDays: Int64 = 3
    /// Seconds by which a recorded time may lie ahead of the clock: machines differ that much.
    ///
    /// What was recorded further ahead comes from a clock that was wrong, and counts for nothing:
    /// it would keep silent all that a right clock has to tell.
    package static let tolerance: Int64 = 300

    /// What a channel was last told of a problem.
    package struct Told: Sendable, Hashable {
        package let stage: AlertStage
        package let at: Timestamp

        package init(stage: AlertStage, at: Timestamp) {
            self.stage = stage
            self.at = at
        }
    }

    /// The stage that a finding is in; nil when it is nothing to tell.
    ///
    /// For an expiry that is the tightest threshold at or above the days left, floored from
    /// seconds; its urgency does not matter.
    package static func stage(of finding: Finding, at now: Timestamp) -> AlertStage? {
        if finding.policy == .expiry, let deadline = finding.deadline {
            let left = deadline.days(since: now)
            if left < 0 { return .expired }
            return thresholds.last { $0 >= left }.map(AlertStage.days)
        }
        switch finding.urgency {
        case .fine: return nil
        case .warning: return .warning
        case .critical: return .critical
        }
    }

    /// Whether a channel that was last told `told` must be told of an open alert now.
    package static func mustTell(_ alert: Alert, lastTold told: Told?, at now: Timestamp) -> Bool {
        guard alert.resolvedAt == nil else { return false }
        guard let told, !isAhead(told.at, of: now) else { return true }
        if alert.stage.isWorse(than: told.stage) { return true }
        // A clock that goes back begins no new day.
        guard !isSilenced(alert, at: now), let today = day(of: alert, at: now),
            let last = day(of: alert, at: told.at)
        else { return false }
        return today > last
    }

    /// The number of the day in what is told daily; nil in a stage that is told once.
    ///
    /// Days are those that are left, downwards, or those since the alert was raised: a new one begins
    /// when their number, floored from seconds, changes.
    package static func day(of alert: Alert, at now: Timestamp) -> Int64? {
        guard isDaily(alert.stage) else { return nil }
        if let deadline = alert.deadline, alert.policy == .expiry {
            return -deadline.days(since: now)
        }
        return now.days(since: alert.raisedAt)
    }

    private static func isDaily(_ stage: AlertStage) -> Bool {
        switch stage {
        case .days(let days): days <= dailyDays
        case .expired, .critical: true
        case .warning: false
        }
    }

    private static func isSilenced(_ alert: Alert, at now: Timestamp) -> Bool {
        guard let acknowledged = alert.acknowledgement, !isAhead(acknowledged.at, of: now) else {
            return false
        }
        return !alert.stage.isWorse(than: acknowledged.stage)
    }

    private static func isAhead(_ time: Timestamp, of now: Timestamp) -> Bool {
        time > now.adding(seconds: tolerance)
    }
}
