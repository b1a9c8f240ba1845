internal import CMicroHTTPD
internal import EventLoops
internal import Locks

/// A libmicrohttpd daemon on one listening socket, living on an event loop.
///
/// libmicrohttpd is called on the loop's thread alone.
@safe final class MicroHTTPDaemon: Sendable {
    private nonisolated(unsafe) let daemon: OpaquePointer
    private nonisolated(unsafe) let configuration: UnsafeMutablePointer<purser_mhd_configuration>
    /// The callbacks' context, so it must live as long.
    private let worker: Worker
    private let bell: Doorbell
    /// Whether its socket is one that outlives the server.
    let isOnPassedSocket: Bool
    /// Turns that were due and of which nothing came, since the supervisor last asked.
    private struct EmptyTurns {
        var count = 0
        var time = Duration.zero
        /// A header that nearly fills its buffer comes in by small pieces, in hundreds of turns: this is
        /// more than several of them need, and still a small part of the time between two questions.
        var areTooMany: Bool { count > 4_096 || time > .milliseconds(50) }
    }

    private let emptyTurns = Locked(EmptyTurns())
    /// Whether the last turn was one; the loop's thread alone.
    private nonisolated(unsafe) var wasEmpty = false

    /// Starts it, nil when libmicrohttpd cannot.
    init?(listeningOn socket: ListenSocket, connections: Int, worker: Worker, bell: Doorbell) {
        unsafe configuration = .allocate(capacity: 1)
        unsafe configuration.initialize(
            to: purser_mhd_configuration(
                listen_socket: socket.descriptor, connection_limit: UInt32(connections),
                connection_memory: worker.engine.limits.maximumHeaderBytes,
                context: Unmanaged.passUnretained(worker).toOpaque(),
                request_started: requestStarted, access: requestCalled,
                completed: requestCompleted, connection_changed: connectionChanged, logged: logged))
        self.worker = worker
        self.bell = bell
        isOnPassedSocket = socket.isPassed
        guard let daemon = unsafe purser_mhd_start(configuration) else {
            unsafe configuration.deallocate()
            return nil
        }
        unsafe self.daemon = daemon
        guard worker.loop.host(bell, { [self] in DaemonTurns(self) }) else {
            stop()
            return nil
        }
    }

    /// Accepts no more connections; those that are open go on.
    func quiesce() {
        worker.loop.performAndWait { [self] in _ = unsafe MHD_quiesce_daemon(daemon) }
    }

    /// Closes all connections, none of which may be suspended; call it once, and nothing after it.
    func stop() {
        worker.loop.evict(bell)
        worker.loop.performAndWait { [self] in
            unsafe MHD_stop_daemon(daemon)
            unsafe configuration.deallocate()
        }
    }

    /// Whether a connection was due since the last call of which nothing could be made.
    func wasStuck() -> Bool {
        emptyTurns.withLock { turns in
            defer { turns = EmptyTurns() }
            return turns.areTooMany
        }
    }

    fileprivate var descriptor: Int32 { unsafe purser_mhd_epoll(daemon) }

    /// Lets it have a turn, from any thread.
    func ring() {
        bell.ring()
    }

    /// One turn, on the loop's thread.
    fileprivate func run() -> NextTurn {
        let before = unsafe purser_mhd_connections(daemon)
        unsafe worker.isOutOfFiles = false
        unsafe worker.wasCalled = false
        let began = unsafe wasEmpty ? ContinuousClock.now : nil
        unsafe MHD_run(daemon)
        // It would try to accept without end.
        if unsafe worker.isOutOfFiles { return .after(.milliseconds(100)) }
        // A full daemon does not look at its listening socket. It looks again at the beginning of a
        // turn, after connections have ended in the one before, and does not ask for that turn.
        let hasRoom = unsafe purser_mhd_connections(daemon) < before
        let isDue = unsafe purser_mhd_is_due(daemon) != 0
        // A connection whose buffer is full of what can never be a request's part, such as a chunk
        // extension without an end, is due until its time is over: that must not keep a core busy.
        unsafe wasEmpty = isDue && !hasRoom && !worker.wasCalled
        if unsafe wasEmpty {
            let areTooMany = emptyTurns.withLock { turns in
                turns.count += 1
                if let began { turns.time += .now - began }
                return turns.areTooMany
            }
            if areTooMany { return .within(.milliseconds(20)) }
        }
        return hasRoom || isDue ? .within(.zero) : .whenReadable
    }
}

/// The daemon as a guest of its loop.
private final class DaemonTurns: LoopGuest {
    let descriptor: Int32
    private let daemon: MicroHTTPDaemon

    init(_ daemon: MicroHTTPDaemon) {
        self.daemon = daemon
        descriptor = daemon.descriptor
    }

    // It looks at its epoll by itself, always.
    func turn(isReadable: Bool) -> NextTurn { daemon.run() }

    // Its connections are closed by whoever stops the server.
    func evicted() {}
}
