internal import CLinux
internal import Glibc
internal import Locks

/// A client's connection, from accept to close; libmicrohttpd carries it as its socket context.
final class ClientConnection: Sendable {
    let peer: Peer
    let acceptedAt = ContinuousClock.now
    private let descriptor: Int32
    private let state: Locked<ConnectionState<Exchange>>

    init(descriptor: Int32, peer: Peer, idleUntil deadline: ContinuousClock.Instant) {
        self.descriptor = descriptor
        self.peer = peer
        state = Locked(ConnectionState(idleUntil: deadline))
    }

    func receiving(until deadline: ContinuousClock.Instant) {
        state.withLock { $0.enter(.receiving, until: deadline) }
    }

    func answering(_ exchange: Exchange, until deadline: ContinuousClock.Instant) {
        state.withLock { $0.enter(.answering(exchange), until: deadline) }
    }

    /// `mayEnd` is whether the connection may be closed when the answer is written.
    func replying(until deadline: ContinuousClock.Instant, mayEnd: Bool) {
        state.withLock { state in
            state.enter(.replying, until: deadline)
            state.mayEnd = mayEnd
        }
    }

    /// `mayEnd` is whether the request was left half read, so that no other can follow.
    func idle(until deadline: ContinuousClock.Instant, mayEnd: Bool) {
        state.withLock { state in
            state.enter(.idle, until: deadline)
            if mayEnd { state.mayEnd = true }
        }
    }

    /// How a connection ended while no request was under way.
    enum Ending: Sendable {
        /// As connections do.
        case ordinary
        /// Before the answer to a request has ended it: perhaps libmicrohttpd has refused another.
        case unexplained
        /// Something was sent on it that has never become a request.
        case withoutRequest
    }

    /// libmicrohttpd is about to close the descriptor.
    func closed() -> Ending {
        state.withLock { state in
            defer { state.close() }
            switch state.phase {
            case .receiving, .answering, .replying: return .ordinary
            case .closed, .idle: break
            }
            // The end of the stream counts as a byte. A Unix socket tells no number.
            if !state.hasAsked {
                return purser_tcp_received(descriptor) > 1 ? .withoutRequest : .unexplained
            }
            return state.mayEnd ? .ordinary : .unexplained
        }
    }

    /// Cuts the connection if it is overdue; gives the exchange whose handler is, instead.
    func enforceDeadline(at now: ContinuousClock.Instant) -> Exchange? {
        state.withLock { state in
            switch state.overdue(at: now) {
            case .answer(let exchange): return exchange
            case .cut:
                // Under the lock, against the rule, so that the descriptor cannot be closed and be
                // somebody else's in between. shutdown(2) does not block.
                _ = purser_shutdown(descriptor)
                state.close()
                return nil
            case nil: return nil
            }
        }
    }

    /// Cuts the connection if a request on it is not read yet and has less time than until `deadline`.
    func cutIfReceiving(withDeadlineBefore deadline: ContinuousClock.Instant) {
        state.withLock { state in
            guard case .receiving = state.phase, state.deadline < deadline else { return }
            _ = purser_shutdown(descriptor)
            state.close()
        }
    }

    /// Whether a request is to come, or is coming in.
    var owesRequest: Bool {
        state.withLock { state in
            switch state.phase {
            case .idle, .receiving: true
            case .answering, .replying, .closed: false
            }
        }
    }

    /// Cuts the connection if it waits for a request and none has arrived in its buffer; `sparingFresh`
    /// is to wait for its first one.
    func closeIfIdle(sparingFresh: Bool = false) {
        state.withLock { state in
            guard case .idle = state.phase, state.hasAsked || !sparingFresh else { return }
            var byte: UInt8 = 0
            let flags = Int32(MSG_PEEK | MSG_DONTWAIT)
            if unsafe recv(descriptor, &byte, 1, flags) > 0 { return }
            _ = purser_shutdown(descriptor)
            state.close()
        }
    }

    /// Whether a time limit or the server's end has cut it.
    var isCut: Bool {
        state.withLock { state in
            if case .closed = state.phase { true } else { false }
        }
    }

    /// The exchange whose handler is at work.
    var answeringExchange: Exchange? {
        state.withLock { state in
            if case .answering(let exchange) = state.phase { exchange } else { nil }
        }
    }
}
