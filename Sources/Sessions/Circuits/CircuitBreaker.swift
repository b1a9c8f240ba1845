/// Whether an identity is still shown to a gateway that refuses it by TLS; pure.
///
/// Each refusal costs both sides a handshake, and the next one will be refused as well. After
/// ``limit`` in a row nobody is asked any more but for one try in each ``rest``, and everybody else
/// is told the last refusal at once. Whatever the gateway answers by HTTP closes it: then it has
/// accepted the certificate.
///
/// What is neither, such as a time-out, says nothing of the certificate and changes nothing.
struct CircuitBreaker: Sendable {
    /// So many refusals in a row open it.
    static let limit = 5
    /// How long after a try the next one is made.
    static let rest = Duration.seconds(5)

    private enum Phase {
        case closed(refusals: Int)
        /// Whoever comes from `nextTry` on is the next to try.
        case open(last: SessionError, nextTry: ContinuousClock.Instant)
    }

    private var phase = Phase.closed(refusals: 0)

    /// Why nobody is asked; nil while it is closed.
    var last: SessionError? {
        if case .open(let last, _) = phase { last } else { nil }
    }

    /// Whether anything is counted.
    var isUntroubled: Bool {
        if case .closed(0) = phase { true } else { false }
    }

    /// Whether a request that comes at `now` is sent: nil if so, else the refusal that it is told.
    mutating func admit(at now: ContinuousClock.Instant) -> SessionError? {
        guard case .open(let last, let nextTry) = phase else { return nil }
        guard now >= nextTry else { return last }
        // Taken by this request, whatever becomes of it: if it is lost, another follows.
        phase = .open(last: last, nextTry: now + Self.rest)
        return nil
    }

    /// The gateway refused the certificate in the handshake, or by an alert right after it.
    mutating func refused(_ why: SessionError, at now: ContinuousClock.Instant) {
        switch phase {
        case .closed(let refusals) where refusals + 1 < Self.limit:
            phase = .closed(refusals: refusals + 1)
        case .closed, .open:
            phase = .open(last: why, nextTry: now + Self.rest)
        }
    }

    /// The gateway answered by HTTP, whatever it said.
    mutating func accepted() {
        phase = .closed(refusals: 0)
    }
}
