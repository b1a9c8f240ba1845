internal import CLinux
internal import Glibc
internal import Locks

/// The thread that does all of this process's HTTPS: one epoll for the connections of every pool.
///
/// One is enough for a process. Pools are cheap: one for each credential at each gateway is meant.
package final class TransferLoop: Sendable {
    private enum Life {
        case running
        case stopping([CheckedContinuation<Void, Never>])
        case stopped

        /// The thread has ended; gives those who wait for that.
        mutating func stop() -> [CheckedContinuation<Void, Never>] {
            defer { self = .stopped }
            if case .stopping(let waiting) = self { return waiting }
            return []
        }
    }

    let mailbox: Mailbox
    private let thread: OwnedThread
    private let life = Locked(Life.running)

    /// Starts the thread.
    ///
    /// `maximumOpenings` bounds the connections that are being opened at once, over all pools; the
    /// requests that need one wait. Each costs the thread some milliseconds for its handshake, which
    /// answers on open connections then wait for.
    ///
    /// - Throws: ``TransferError/tooManyFiles``, or ``TransferError/internalFault(code:detail:)`` when
    ///   libcurl does not start.
    package init(maximumOpenings: Int = 32) throws(TransferError) {
        guard libraryIsStarted else { throw .internalFault(code: 2, detail: "curl_global_init") }
        let mailbox = try Mailbox()
        let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw .tooManyFiles }
        self.mailbox = mailbox
        let life = self.life
        // The thread must not hold this object: its deinit is what stops the thread.
        thread = OwnedThread(name: "transfers") {
            runEngine(mailbox, epoll, maximumOpenings)
            for caller in life.withLock({ $0.stop() }) { caller.resume() }
        }
    }

    deinit {
        // No request is under way: each holds its pool, and a pool holds this.
        guard beginStopping() else { return }
        _ = mailbox.post(.stop)
        thread.detach()
    }

    /// Makes a pool; nothing is connected before its first request.
    package func pool(_ configuration: PoolConfiguration) -> ConnectionPool {
        ConnectionPool(configuration, loop: self)
    }

    /// Stops: whatever waits or is under way fails with ``TransferError/shutDown``, every connection
    /// is closed, and the thread has ended when this returns.
    ///
    /// Draining is the caller's business before. May be called again, and from several tasks.
    package func shutDown() async {
        let isFirst = beginStopping()
        if isFirst { _ = mailbox.post(.stop) }
        await withCheckedContinuation { (caller: CheckedContinuation<Void, Never>) in
            let isOver = life.withLock { life in
                guard case .stopping(let waiting) = life else { return true }
                life = .stopping(waiting + [caller])
                return false
            }
            if isOver { caller.resume() }
        }
        // The thread has said its last word; this waits for it to leave its function.
        if isFirst { thread.join() }
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

private func runEngine(_ mailbox: Mailbox, _ epoll: Int32, _ maximumOpenings: Int) {
    let engine = TransferEngine(mailbox: mailbox, epoll: epoll, maximumOpenings: maximumOpenings)
    while engine.turn(waitingAtMost: nil) {}
}
