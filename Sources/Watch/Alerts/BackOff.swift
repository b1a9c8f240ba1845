package import Clocks

/// How long a delivery that failed waits: a minute, then twice as long each time, 6 hours at most.
///
/// A receiver that comes back after a night is told within those hours, and by the next run of the
/// watch in any case where one has been due.
package enum BackOff {
    /// The longest wait, in seconds.
    package static let longest: Int64 = 6 * 3_600

    /// The wait after so many failures in a row, in seconds.
    package static func seconds(afterFailures count: Int) -> Int64 {
        min(60 << Int64(min(max(count - 1, 0), 20)), longest)
    }

    /// Whether a delivery that waits until `next` may be tried now.
    ///
    /// A time further off than any wait comes from a clock that was wrong, and holds nothing up.
    package static func allows(_ next: Timestamp?, at now: Timestamp) -> Bool {
        guard let next else { return true }
        return next <= now || next > now.adding(seconds: longest)
    }
}
