import Locks
package import Metrics
import Sessions

/// What a running service has answered, counted since its start.
///
/// Each event loop counts for itself and they are added up when somebody asks, so no request waits
/// for a lock that another's holds. Counting allocates nothing, but for a copy of the loop's small
/// tables after each scrape.
///
/// There are as many series as codes and environments: both are finite, and none comes from a
/// caller. What a caller names is a label only where the home knows it.
package final class RequestCounters: Sendable {
    static let sessions = Measure(
        .counter, "purser_sessions_total", ["outcome", "code", "environment"],
        "Requests for a merchant session, by outcome (ok, fallback, or whose matter the failure is), "
            + "error code and environment, where it is known")
    static let durations = Measure(
        .histogram, "purser_session_duration_seconds", ["outcome"],
        "From the request line to the answer, by outcome")
    static let requests = Measure(
        .counter, "purser_http_requests_total", ["status"],
        "HTTP requests answered, by status; without those that were never read")

    /// All that are counted here.
    package static let all = [sessions, durations, requests]

    private struct Key: Sendable, Equatable {
        let outcome: SessionOutcome
        let environment: String
    }

    private struct Shard {
        var sessions = FewEntries<Key, Int64>()
        var durations = FewEntries<String, Histogram>()
        var statuses = FewEntries<Int, Int64>()
    }

    private let shards: [Locked<Shard>]

    /// Counters for as many event loops.
    package init(loops: Int) {
        shards = (0..<max(loops, 1)).map { _ in Locked(Shard()) }
    }

    func count(_ outcome: SessionOutcome, _ environment: String, took: Duration, onLoop loop: Int) {
        let key = Key(outcome: outcome, environment: environment)
        shards[loop % shards.count].withLock { shard in
            shard.sessions[key, beginningAs: 0] += 1
            shard.durations[outcome.name, beginningAs: Histogram()].observe(took)
        }
    }

    func count(status: Int, onLoop loop: Int) {
        shards[loop % shards.count].withLock { $0.statuses[status, beginningAs: 0] += 1 }
    }

    /// The families, with what has been counted so far.
    package var families: [MetricFamily] {
        var all = Shard()
        for shard in shards {
            let part = shard.withLock { $0 }
            for (key, count) in part.sessions.all { all.sessions[key, beginningAs: 0] += count }
            for (status, count) in part.statuses.all {
                all.statuses[status, beginningAs: 0] += count
            }
            for (name, histogram) in part.durations.all {
                all.durations[name, beginningAs: Histogram()].add(histogram)
            }
        }
        // One that stands there from the first scrape on, so that the first session of all is an
        // increase like any other.
        all.sessions[Key(outcome: .ok, environment: ""), beginningAs: 0] += 0
        var sessions = MetricFamily(Self.sessions)
        for (key, count) in all.sessions.all.sorted(by: { Self.order($0.key) < Self.order($1.key) })
        {
            sessions.add([key.outcome.name, key.outcome.code, key.environment], count)
        }
        var durations = MetricFamily(Self.durations)
        for (name, histogram) in all.durations.all.sorted(by: { $0.key < $1.key }) {
            durations.add([name], histogram)
        }
        var requests = MetricFamily(Self.requests)
        for (status, count) in all.statuses.all.sorted(by: { $0.key < $1.key }) {
            requests.add(["\(status)"], count)
        }
        return [sessions, durations, requests]
    }

    private static func order(_ key: Key) -> String {
        "\(key.outcome.name) \(key.outcome.code) \(key.environment)"
    }
}
