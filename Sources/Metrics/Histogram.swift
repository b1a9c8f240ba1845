/// How often something took how long, in buckets that are the same everywhere and for ever.
///
/// Sums over processes and versions need the same bounds. They reach from an answer over a kept
/// connection to the whole budget of a session.
package struct Histogram: Sendable, Hashable {
    /// The buckets' upper bounds, included, in microseconds; one more bucket has no bound.
    static let bounds: [UInt64] = [
        5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000,
        10_000_000,
    ]

    /// How many fell into each bucket, and not into the one before.
    private(set) var counts = [UInt64](repeating: 0, count: Histogram.bounds.count + 1)
    /// All of it, in microseconds.
    private(set) var sum: UInt64 = 0

    /// Nothing observed yet.
    package init() {}

    /// How many were observed.
    package var count: UInt64 { counts.reduce(0, +) }

    /// Counts one duration; a negative one, which no steady clock gives, as none at all.
    package mutating func observe(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let microseconds = max(seconds * 1_000_000 + attoseconds / 1_000_000_000_000, 0)
        let value = UInt64(microseconds)
        // A walk rather than a search: nearly all fall into the first few.
        var bucket = 0
        while bucket < Self.bounds.count, value > Self.bounds[bucket] { bucket += 1 }
        counts[bucket] += 1
        sum += value
    }

    /// Takes another's observations in.
    package mutating func add(_ other: Histogram) {
        for index in counts.indices { counts[index] += other.counts[index] }
        sum += other.sum
    }
}
