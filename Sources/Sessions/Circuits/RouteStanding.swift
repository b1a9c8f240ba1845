internal import Locks
internal import Synchronization

/// How one identity stands at one gateway, over all loops: what it has under way there, and whether
/// it is refused.
///
/// Every request asks it, so nothing is locked while all goes well.
final class RouteStanding: Sendable {
    private let breaker = Locked(CircuitBreaker())
    private let isTroubled = Atomic(false)
    private let inFlight = Atomic(0)

    /// Why the gateway is not asked; nil while it is.
    var openCircuit: SessionError? {
        isTroubled.load(ordering: .relaxed) ? breaker.withLock { $0.last } : nil
    }

    /// Whether a request is sent: nil if so, else the refusal that it is told.
    func admit(at now: @autoclosure () -> ContinuousClock.Instant) -> SessionError? {
        guard isTroubled.load(ordering: .relaxed) else { return nil }
        let now = now()
        return breaker.withLock { $0.admit(at: now) }
    }

    /// The gateway refused the identity by TLS.
    func refused(_ why: SessionError, at now: ContinuousClock.Instant) {
        breaker.withLock { breaker in
            breaker.refused(why, at: now)
            isTroubled.store(true, ordering: .relaxed)
        }
    }

    /// The gateway answered by HTTP.
    func accepted() {
        guard isTroubled.load(ordering: .relaxed) else { return }
        breaker.withLock { breaker in
            breaker.accepted()
            isTroubled.store(false, ordering: .relaxed)
        }
    }

    /// One more is under way; how many are then.
    fileprivate func enter() -> Int { inFlight.add(1, ordering: .relaxed).newValue }

    fileprivate func leave() { inFlight.subtract(1, ordering: .relaxed) }
}

/// The room for requests to gateways, of which each identity may take as much as it leaves free.
///
/// One merchant alone gets half of it, however long its gateway does not answer; two that flood get
/// a third each; and so on. There is always room for one who has little under way.
final class SharedRoom: Sendable {
    /// So many has everybody.
    static let least = 16

    private let limit: Int
    private let all = Atomic(0)

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes a place for a request; false when its identity has its share already.
    func enter(_ standing: RouteStanding) -> Bool {
        let own = standing.enter()
        let all = all.add(1, ordering: .relaxed).newValue
        guard own <= max(Self.least, limit - all) else {
            leave(standing)
            return false
        }
        return true
    }

    /// Gives the place back.
    func leave(_ standing: RouteStanding) {
        standing.leave()
        all.subtract(1, ordering: .relaxed)
    }
}
