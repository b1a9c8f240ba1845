import API
import Clocks
import Glibc
import Locks

/// Writes the log on a thread of its own, so that a reader who dawdles holds up no checkout.
///
/// A line that comes after a while is written at once. Those that come within ``pause`` of the last
/// go out together, because waking a thread and writing cost more than all the rest of a line. When
/// more than ``limit`` bytes wait, lines are dropped and their number is told once there is room
/// again.
actor LogWriter {
    private struct Backlog {
        var bytes: [UInt8] = []
        var isScheduled = false
        var dropped = 0
    }

    private let executor = ThreadExecutor(name: "log")
    private let sink: any OutputSink
    private let clock: any WallClock
    private let backlog = Locked(Backlog())

    /// The most bytes that wait: some 10,000 lines.
    static let limit = 4 << 20
    /// How long it waits after a write for more lines, in milliseconds.
    private static let pause: Int32 = 5

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ sink: any OutputSink, clock: any WallClock = SystemClock()) {
        self.sink = sink
        self.clock = clock
    }

    /// Takes a whole line, with its end; returns at once.
    nonisolated func write(_ line: [UInt8]) {
        let mustSchedule = backlog.withLock { backlog in
            guard backlog.bytes.count + line.count <= Self.limit else {
                backlog.dropped += 1
                return false
            }
            backlog.bytes += line
            defer { backlog.isScheduled = true }
            return !backlog.isScheduled
        }
        if mustSchedule { Task { await flush() } }
    }

    /// Waits until everything is written, but not longer than `limit`: a reader that has stopped must
    /// not keep the process from ending.
    nonisolated func finish(within limit: Duration) async {
        Task { await flush() }
        let deadline = ContinuousClock.now + limit
        repeat {
            if backlog.withLock({ $0.bytes.isEmpty && !$0.isScheduled }) { return }
            try? await Task.sleep(for: .milliseconds(5))
        } while ContinuousClock.now < deadline
    }

    /// Writes what waits, and returns when nothing does.
    func flush() {
        while true {
            let (bytes, dropped) = backlog.withLock { backlog in
                defer { (backlog.bytes, backlog.dropped) = ([], 0) }
                if backlog.bytes.isEmpty { backlog.isScheduled = false }
                return (backlog.bytes, backlog.dropped)
            }
            // What cannot be written is lost: a full disk must not stop checkouts.
            if dropped > 0 {
                var line = LogLine()
                line.add("time", clock.now.description)
                line.add("event", "log-lines-dropped")
                line.add("lines", dropped)
                try? sink.write(line.finished())
            }
            if bytes.isEmpty { return }
            try? sink.write(bytes)
            // This thread is the log's own: it may sleep, and whoever writes meanwhile wakes nobody.
            poll(nil, 0, Self.pause)
        }
    }
}
