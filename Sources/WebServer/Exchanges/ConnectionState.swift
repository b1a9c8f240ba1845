/// What a client's connection is waiting for, and until when it may.
///
/// libmicrohttpd knows inactivity only, which a client that sends a byte now and then never shows,
/// and suspended connections have no time-out at all. So each phase has a moment at which it ends.
struct ConnectionState<Exchange: Sendable>: Sendable {
    enum Phase: Sendable {
        /// Waiting for a request line.
        case idle
        /// Reading a header or a body.
        case receiving
        /// Waiting for the handler.
        case answering(Exchange)
        /// Writing an answer.
        case replying
        /// The descriptor is libmicrohttpd's to close, or closed.
        case closed
    }

    private(set) var phase = Phase.idle
    /// Whether a request has ever begun here.
    private(set) var hasAsked = false
    /// Whether the request that was last here ends the connection, or may: its end is no surprise.
    var mayEnd = false
    private(set) var deadline: ContinuousClock.Instant

    /// A connection that was opened and may wait for its first request until `deadline`.
    init(idleUntil deadline: ContinuousClock.Instant) {
        self.deadline = deadline
    }

    /// Moves on; a closed connection stays closed.
    mutating func enter(_ next: Phase, until deadline: ContinuousClock.Instant) {
        if case .closed = phase { return }
        phase = next
        if case .receiving = next { hasAsked = true }
        self.deadline = deadline
    }

    mutating func close() {
        phase = .closed
    }

    /// What to do about a connection whose moment has come.
    enum Overdue {
        case cut
        case answer(Exchange)
    }

    /// What to do at `now`; nil when there is nothing to do.
    func overdue(at now: ContinuousClock.Instant) -> Overdue? {
        guard now >= deadline else { return nil }
        switch phase {
        case .idle, .receiving, .replying: return .cut
        case .answering(let exchange): return .answer(exchange)
        case .closed: return nil
        }
    }
}
