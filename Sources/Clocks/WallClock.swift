import FoundationEssentials

/// Where the time comes from; nothing else in the program asks the system for it.
///
/// Expiry is judged by wall-clock time; durations (time-outs) are measured by `ContinuousClock`.
package protocol WallClock: Sendable {
    /// The present moment.
    var now: Timestamp { get }
}

/// The system's clock.
package struct SystemClock: WallClock {
    package init() {}

    package var now: Timestamp {
        Timestamp(seconds: Int64(Date().timeIntervalSince1970.rounded(.down)))
    }
}
