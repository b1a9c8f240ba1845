import Locks

/// How many requests a second one token or one merchant may make: the generic cell rate algorithm
/// (ITU-T I.371), which keeps one moment for each and forgets nothing that matters.
///
/// A second's worth may come at once after a rest. What is counted is bounded, because only tokens
/// and merchants of this home have names here.
package final class RateLimiter: Sendable {
    private let perSecond: Int
    private let dueTimes = Locked<[String: ContinuousClock.Instant]>([:])

    /// `perSecond` 0 means no limit.
    package init(perSecond: Int) {
        self.perSecond = max(perSecond, 0)
    }

    var isOff: Bool { perSecond == 0 }

    /// Counts one request of `name`.
    ///
    /// - Returns: nil when it may go on; otherwise in how many seconds, rounded up, the next one may,
    ///   and this one is not counted.
    func secondsToWait(
        _ name: String, at now: ContinuousClock.Instant = .now
    ) -> Int? {
        guard !isOff else { return nil }
        let interval = Duration.seconds(1) / perSecond
        return dueTimes.withLock { dueTimes in
            let due = max(dueTimes[name] ?? now, now)
            let ahead = due - now
            // A burst of one second's worth, and never less than one request.
            guard ahead <= .seconds(1) - interval else {
                let wait = ahead - (.seconds(1) - interval)
                return max(Int((wait / .seconds(1)).rounded(.up)), 1)
            }
            dueTimes[name] = due + interval
            return nil
        }
    }
}
