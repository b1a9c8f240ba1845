package import Clocks
import Locks

/// A clock that stands still until a test moves it.
package final class ManualClock: WallClock {
    private let moment: Locked<Timestamp>

    /// A clock that shows `start`.
    package init(_ start: Timestamp) {
        moment = Locked(start)
    }

    package var now: Timestamp { moment.withLock { $0 } }

    /// Moves the clock, backwards too.
    package func move(to other: Timestamp) {
        moment.withLock { $0 = other }
    }

    /// Moves the clock on by whole days.
    package func advance(days: Int64) {
        moment.withLock { $0 = $0.adding(days: days) }
    }
}
