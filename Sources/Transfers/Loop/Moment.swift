internal import Glibc

/// A point on CLOCK_MONOTONIC: what time-outs are measured on, untouched by changes of the date.
struct Moment: Comparable, Sendable {
    var nanoseconds: Int64

    static func now() -> Moment {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Moment(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    static func < (one: Moment, other: Moment) -> Bool { one.nanoseconds < other.nanoseconds }

    static func + (moment: Moment, duration: Duration) -> Moment {
        Moment(nanoseconds: moment.nanoseconds + duration.nanoseconds)
    }

    static func - (one: Moment, other: Moment) -> Duration {
        .nanoseconds(one.nanoseconds - other.nanoseconds)
    }
}

extension Duration {
    /// The whole duration in nanoseconds; a negative one is cut to none, and more than a century
    /// to one.
    var nanoseconds: Int64 {
        guard self > .zero else { return 0 }
        let (seconds, attoseconds) = components
        return min(seconds, 3_155_760_000) * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// Rounded up, so that a wait for it never ends early.
    var milliseconds: Int { Int((nanoseconds + 999_999) / 1_000_000) }

    /// Rounded up, for libcurl's options that count seconds.
    var wholeSeconds: Int { (milliseconds + 999) / 1000 }
}
