internal import CLinux
package import EventLoops
internal import Glibc
internal import Locks

/// All of this process's HTTPS: one epoll for the connections of every pool, on one event loop.
///
/// One is enough for a process. Pools are cheap: one for each credential at each gateway is meant.
package final class TransferLoop: Sendable {
    private enum Life {
        case running
        case stopping([CheckedContinuation<Void, Never>])
        case stopped

        /// The engine is gone; gives those who wait for that.
        mutating func stop() -> [CheckedContinuation<Void, Never>] {
            defer { self = .stopped }
            if case .stopping(let waiting) = self { return waiting }
            return []
        }
    }

    let mailbox: Mailbox
    private let loop: EventLoop
    private let ownsLoop: Bool
    private let bell: Doorbell
    private let life = Locked(Life.running)

    /// Moves in on `loop`, or on a loop of its own.
    ///
    /// `maximumOpenings` bounds the connections that are being opened at once, over all pools; the
    /// requests that need one wait. Each costs the thread some milliseconds for its handshake, which
    /// answers on open connections then wait for.
    ///
    /// - Throws: ``TransferError/tooManyFiles``, ``TransferError/shutDown`` when `loop` has stopped,
    ///   or ``TransferError/internalFault(code:detail:)`` when libcurl does not start.
    package init(
        on shared: EventLoop? = nil, maximumOpenings: Int = 32
    ) throws(TransferError) {
        guard libraryIsStarted else { throw .internalFault(code: 2, detail: "curl_global_init") }
        guard let loop = shared ?? EventLoop(name: "transfers") else { throw .tooManyFiles }
        let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw .tooManyFiles }
        let bell = loop.makeDoorbell()
        let mailbox = Mailbox(bell)
        let life = self.life
        self.loop = loop
        self.ownsLoop = shared == nil
        self.bell = bell
        self.mailbox = mailbox
        // The loop must not hold this object: its deinit is what sends the engine away.
        let isHosted = loop.host(bell) {
            for caller in life.withLock({ $0.stop() }) { caller.resume() }
        } _: {
            TransferEngine(mailbox: mailbox, epoll: epoll, maximumOpenings: maximumOpenings)
        }
        guard isHosted else {
            close(epoll)
            throw .shutDown
        }
    }

    deinit {
        // No request is under way: each holds its pool, and a pool holds this.
        if beginStopping() { loop.evict(bell) }
    }

    /// Makes a pool; nothing is connected before its first request.
    package func pool(_ configuration: PoolConfiguration) -> ConnectionPool {
        ConnectionPool(configuration, loop: self)
    }

    /// Counts what its pools have; nothing once it has stopped.
    package func census() async -> PoolCensus {
        await withCheckedContinuation { (caller: CheckedContinuation<PoolCensus, Never>) in
            if !mailbox.post(.count(caller)) { caller.resume(returning: PoolCensus()) }
        }
    }

    /// Stops, and returns when every connection is closed; a loop of its own has ended then, too.
    ///
    /// Whatever waits or is under way fails with ``TransferError/shutDown``.
    ///
    /// Draining is the caller's business before. May be called again, and from several tasks.
    package func shutDown() async {
        if beginStopping() { loop.evict(bell) }
        await withCheckedContinuation { (caller: CheckedContinuation<Void, Never>) in
            let isOver = life.withLock { life in
                guard case .stopping(let waiting) = life else { return true }
                life = .stopping(waiting + [caller])
                return false
            }
            if isOver { caller.resume() }
        }
        if ownsLoop { await loop.shutDown() }
    }

    /// True for the first who wants to stop it.
    private func beginStopping() -> Bool {
        life.withLock { life in
            guard case .running = life else { return false }
            life = .stopping([])
            return true
        }
    }
}
