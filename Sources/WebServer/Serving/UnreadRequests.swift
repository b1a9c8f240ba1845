internal import Locks

/// Tells of requests that libmicrohttpd refused by itself, and of others that were never read.
///
/// libmicrohttpd says in its log what it refuses with which status, and not whom; right after, on the
/// same thread, it reports the request completed or the connection closed. So statuses wait here, in
/// order, for the connection that they are about. Were two refused at once by a client that reads
/// slowly, their statuses could change places: nothing hangs on it but the log.
struct UnreadRequests: Sendable {
    private struct State {
        var statuses: [Int] = []
        var ration = Ration()
    }

    private let tell: @Sendable (UnreadRequest) -> Void
    private let state = Locked(State())

    init(_ tell: @escaping @Sendable (UnreadRequest) -> Void) {
        self.tell = tell
    }

    /// Takes the status out of a line of libmicrohttpd's log, if that is what it is about.
    func noticed(_ line: String) {
        guard let status = Self.status(in: line) else { return }
        state.withLock { state in
            // One that no connection fetches must not stay for ever, nor pile up.
            if state.statuses.count >= 64 { state.statuses.removeFirst() }
            state.statuses.append(status)
        }
    }

    /// The status for the connection that has just ended; nil when it was not refused.
    func takeStatus() -> Int? {
        state.withLock { $0.statuses.isEmpty ? nil : $0.statuses.removeFirst() }
    }

    /// Tells of one, unless there were too many this second.
    func ended(_ request: UnreadRequest) {
        guard let untold = state.withLock({ $0.ration.take(at: .now) }) else { return }
        var request = request
        request.untold = untold
        tell(request)
    }

    private static func status(in line: String) -> Int? {
        let opening = "Error processing request (HTTP response code is "
        guard line.hasPrefix(opening) else { return nil }
        return Int(line.dropFirst(opening.count).prefix { $0.isNumber })
    }
}

/// So many in a second and no more: what costs a client one packet must not fill a disk.
struct Ration: Sendable {
    static let perSecond = 20

    private var second: ContinuousClock.Instant?
    private var taken = 0
    private var refused = 0

    /// How many were refused since the last that was granted; nil when this one is refused.
    mutating func take(at now: ContinuousClock.Instant) -> Int? {
        if second.map({ now - $0 >= .seconds(1) }) ?? true { (second, taken) = (now, 0) }
        guard taken < Self.perSecond else {
            refused += 1
            return nil
        }
        taken += 1
        defer { refused = 0 }
        return refused
    }
}
