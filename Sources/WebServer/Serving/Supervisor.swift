internal import Locks

/// The server's watch: it enforces deadlines, drains, and stops the daemons, on a thread of its own.
///
/// A thread and not a task, because deadlines guard against handlers that block the tasks' threads,
/// and because stopping libmicrohttpd blocks.
final class Supervisor: Sendable {
    private struct Stop {
        var deadline: ContinuousClock.Instant?
        var waiters: [CheckedContinuation<Void, Never>] = []
        var isOver = false
    }

    private let engine: Engine
    private let daemons: [MicroHTTPDaemon]
    private let sockets: [ListenSocket]
    private let stop = Locked(Stop())

    /// How late a deadline may be noticed.
    private static let tick: Duration = .milliseconds(250)
    /// How long a request may take while one keeps a daemon at work to no end.
    private static let hurry: Duration = .seconds(1)
    /// How long answers that were made at the end of a drain may take to be written.
    private static let flush: Duration = .seconds(1)

    /// Starts the thread, which keeps everything alive until it has stopped.
    init(engine: Engine, daemons: [MicroHTTPDaemon], sockets: [ListenSocket]) {
        self.engine = engine
        self.daemons = daemons
        self.sockets = sockets
        OwnedThread(name: "purser-web") { [self] in run() }.detach()
    }

    /// Ends the server not later than `deadline`; of several calls the earliest deadline counts.
    func finish(by deadline: ContinuousClock.Instant) {
        stop.withLock { stop in
            stop.deadline = min(stop.deadline ?? deadline, deadline)
        }
        event.signal()
    }

    /// Waits until the server has ended.
    func waitUntilOver() async {
        await withCheckedContinuation { continuation in
            let isOver = stop.withLock { stop in
                if !stop.isOver { stop.waiters.append(continuation) }
                return stop.isOver
            }
            if isOver { continuation.resume() }
        }
    }

    var cutCount: Int { engine.cutCount }

    private var event: EventDescriptor { engine.event }
}

// MARK: - The thread

extension Supervisor {
    private func run() {
        while stopDeadline == nil {
            event.wait(engine.hasConnections ? Self.tick : nil)
            enforceDeadlines()
        }
        refuseNew()
        if hasPassed { awaitLastRequests() }
        while let deadline = stopDeadline, engine.inFlight > 0, deadline > .now {
            event.wait(min(Self.tick, ContinuousClock.now.duration(to: deadline)))
            enforceDeadlines()
        }
        answerRest()
        end()
    }

    private var stopDeadline: ContinuousClock.Instant? { stop.withLock { $0.deadline } }

    private func enforceDeadlines() {
        let now = ContinuousClock.now
        // A body of which nothing can be made is scanned in every turn. Which one it is, libmicrohttpd
        // does not tell: meanwhile none may take its time.
        let isStuck = daemons.map { $0.wasStuck() }.contains(true)
        let hurried = now + max(engine.limits.receiveTimeout - Self.hurry, .zero)
        for connection in engine.openConnections {
            connection.enforceDeadline(at: now)?.refuse(.handlerTimedOut)
            if isStuck { connection.cutIfReceiving(withDeadlineBefore: hurried) }
        }
        // Whatever keeps a daemon from seeing that it has room again, it looks now and then.
        daemons.forEach { $0.ring() }
    }

    private var hasPassed: Bool { sockets.contains(where: \.isPassed) }

    private func refuseNew() {
        // First, so that whoever comes by a passed socket from now on waits for the next service.
        daemons.filter(\.isOnPassedSocket).forEach { $0.quiesce() }
        engine.startDraining()
        emptyQueues()
        daemons.filter { !$0.isOnPassedSocket }.forEach { $0.quiesce() }
        sockets.forEach { $0.refuseConnections() }
        engine.openConnections.forEach { $0.closeIfIdle(sparingFresh: hasPassed) }
    }

    /// Waits for the requests of those that were accepted a moment ago, and for those on their way.
    private func awaitLastRequests() {
        let end = ContinuousClock.now + Self.flush
        while let deadline = stopDeadline, min(end, deadline) > .now,
            engine.openConnections.contains(where: \.owesRequest)
        {
            event.wait(.milliseconds(10))
            // Whose answer was being written when the drain began.
            engine.openConnections.forEach { $0.closeIfIdle(sparingFresh: true) }
        }
        engine.openConnections.forEach { $0.closeIfIdle() }
    }

    /// Lets the daemons accept what the system has accepted for us.
    ///
    /// Closing a listening socket resets every connection in its queue, and their requests may have
    /// been sent. Each is told 503.
    private func emptyQueues() {
        let end = ContinuousClock.now + Self.flush
        while sockets.contains(where: { !$0.isPassed && $0.hasWaiting }),
            let deadline = stopDeadline,
            min(end, deadline) > .now
        {
            daemons.forEach { $0.ring() }
            event.wait(.milliseconds(2))
        }
    }

    /// Answers for handlers that are still at work: stopping a daemon with a suspended connection is
    /// a violation of libmicrohttpd's interface.
    private func answerRest() {
        engine.startStopping()
        for connection in engine.openConnections {
            connection.answeringExchange?.refuse(.draining)
        }
        let deadline = ContinuousClock.now + Self.flush
        while engine.inFlight > 0, deadline > .now {
            event.wait(ContinuousClock.now.duration(to: deadline))
        }
    }

    private func end() {
        daemons.forEach { $0.stop() }
        sockets.forEach { $0.close() }
        let waiters = stop.withLock { stop in
            stop.isOver = true
            defer { stop.waiters = [] }
            return stop.waiters
        }
        waiters.forEach { $0.resume() }
    }
}
