internal import CMicroHTTPD
internal import EventLoops
internal import Locks

/// One request and its answer; libmicrohttpd carries it as the request's pointer.
///
/// Retained when the request line has been read, released when libmicrohttpd reports the request
/// completed, and in no other place.
@safe final class Exchange: Sendable {
    private struct State {
        var phase: ExchangeState
        /// The handler at work, to be cancelled when another answer is taken.
        var task: Task<Void, Never>?
    }

    private let worker: Worker
    private let engine: Engine
    let connection: ClientConnection
    let id: String
    let receivedAt: ContinuousClock.Instant
    private let target: String
    private let state: Locked<State>

    // These belong to the daemon's thread; the handler gets them as values.
    private nonisolated(unsafe) var head: RequestHead?
    private nonisolated(unsafe) var body: [UInt8] = []
    private nonisolated(unsafe) var isAdmitted = false

    // Written by the daemon's thread before the connection names this exchange as the one that it
    // waits for and before the handler starts; read by others after that.
    private nonisolated(unsafe) var request: HTTPRequest?
    // Valid until the request is completed, which a suspended one is not.
    private nonisolated(unsafe) var daemonConnection: OpaquePointer?

    init(worker: Worker, connection: ClientConnection, target: String) {
        self.worker = worker
        engine = worker.engine
        self.connection = connection
        self.target = target
        id = engine.identifiers.next()
        receivedAt = .now
        state = Locked(
            State(phase: ExchangeState(maximumBodyBytes: engine.limits.maximumBodyBytes)))
        connection.receiving(until: receivedAt + engine.limits.receiveTimeout)
    }

    /// Does what one call of libmicrohttpd asks for.
    func called(by call: DaemonCall) -> MHD_Result {
        let bytes = unsafe call.bodyPart.count
        switch state.withLock({ $0.phase.called(bringing: bytes) }) {
        case .header: return unsafe headerRead(call)
        case .bodyPart: return unsafe bodyPartRead(call)
        case .bodyEnd: return unsafe bodyRead(call)
        case .reply(let response): return unsafe reply(response, to: call.connection)
        case .surplus: return .NO
        }
    }

    /// The request is over, however it ended.
    func completed() {
        let isUnread = state.withLock { $0.phase.isUnread }
        if isUnread { tellUnread() }
        if unsafe isUnread && isAdmitted && engine.isStopping { engine.cutOne() }
        // The client has left before its answer could be fetched.
        state.withLock { $0.phase.takeEarlyAnswer() }?.whenTaken?()
        connection.idle(until: .now + engine.limits.idleTimeout, mayEnd: isUnread)
        if unsafe isAdmitted { engine.release() }
    }

    private func tellUnread() {
        let status = engine.unread.takeStatus()
        // Without the query, as in every other line.
        let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
        engine.unread.ended(
            UnreadRequest(
                id: id, peer: connection.peer, path: String(path),
                ending: status != nil
                    ? .refused : connection.isCut || engine.isDraining ? .cut : .abandoned,
                status: status, begunAt: receivedAt))
    }

    /// Answers in the handler's place, because its time is over or the server stops.
    func refuse(_ refusal: WebServerRefusal) {
        guard let request = unsafe request else { return }
        if finish(engine.response(to: refusal, of: request)) {
            if refusal == .draining { engine.cutOne() }
            state.withLock { $0.task }?.cancel()
        }
    }
}

// MARK: - Receiving

extension Exchange {
    private func headerRead(_ call: DaemonCall) -> MHD_Result {
        let head = unsafe call.readHead(target: target)
        unsafe self.head = head
        let broken = head.refusal(maximumBodyBytes: engine.limits.maximumBodyBytes)
        if let refusal = broken ?? engine.admit() {
            state.withLock { $0.phase.refused() }
            let response = engine.response(to: refusal, of: makeRequest(head))
            // The body, if there is one, stays unread: the connection cannot go on.
            return unsafe reply(response, to: call.connection, closing: true)
        }
        unsafe isAdmitted = true
        state.withLock { $0.phase.accepted() }
        if let length = head.declaredLength { unsafe body.reserveCapacity(length) }
        return .YES
    }

    private func bodyPartRead(_ call: DaemonCall) -> MHD_Result {
        let bytes = unsafe call.bodyPart.count
        switch state.withLock({ $0.phase.received(bytes: bytes) }) {
        case .keep: unsafe body.append(contentsOf: call.bodyPart)
        case .discard: unsafe body = []
        case .abandon: return .NO
        }
        unsafe call.consumeBodyPart()
        return .YES
    }

    private func bodyRead(_ call: DaemonCall) -> MHD_Result {
        guard let head = unsafe head else { return .NO }
        let request = unsafe makeRequest(head, body: body)
        unsafe body = []
        switch state.withLock({ $0.phase.ended() }) {
        case .refuseBody:
            let refusal = WebServerRefusal.bodyTooLarge(
                maximumBytes: engine.limits.maximumBodyBytes)
            let response = engine.response(to: refusal, of: request)
            return unsafe reply(response, to: call.connection, closing: true)
        case .answer:
            return unsafe answer(request, on: call.connection)
        }
    }

    private func makeRequest(_ head: RequestHead, body: [UInt8] = []) -> HTTPRequest {
        let (path, query) = head.split
        return HTTPRequest(
            id: id, method: head.method, path: path, query: query, headers: head.headers,
            body: body, peer: connection.peer, isVersion10: head.isVersion10,
            worker: worker.number, receivedAt: receivedAt)
    }
}

// MARK: - Answering

extension Exchange {
    private func answer(_ request: HTTPRequest, on daemonConnection: OpaquePointer) -> MHD_Result {
        unsafe self.request = request
        unsafe self.daemonConnection = daemonConnection
        connection.answering(self, until: .now + engine.limits.handlerTimeout)
        // Said first and asked second, as the stop does it the other way round: one of us notices.
        if engine.isStopping { refuse(.draining) }
        if let refusal = state.withLock({ $0.phase.takeEarlyAnswer() }) {
            return unsafe reply(refusal, to: daemonConnection)
        }

        // At once, as far as it goes without waiting: most answers that need no other machine
        // are there when this returns, and neither a thread switch nor a suspension is paid for.
        let running = Task.immediate(executorPreference: worker.loop.executor) { [self] in
            _ = finish(await engine.handler(request))
        }
        let early = state.withLock { state in
            state.task = running
            return state.phase.takeEarlyAnswer()
        }
        // The stop cancels the tasks that it finds; this one may have come a moment later.
        if engine.isStopping { running.cancel() }
        if let early { return unsafe reply(early, to: daemonConnection) }
        unsafe MHD_suspend_connection(daemonConnection)
        if state.withLock({ $0.phase.suspended() }) {
            unsafe MHD_resume_connection(daemonConnection)
        }
        return .YES
    }

    /// Puts an answer down and lets the daemon fetch it; false when there is one already.
    private func finish(_ response: HTTPResponse) -> Bool {
        switch state.withLock({ $0.phase.answered(response) }) {
        case .drop: return false
        case .leave: return true
        case .resume:
            worker.loop.perform { [self] in resume() }
            return true
        }
    }

    private func resume() {
        guard let daemonConnection = unsafe daemonConnection else { return }
        unsafe MHD_resume_connection(daemonConnection)
        for bell in worker.bells { bell.ring() }
    }

    private func reply(
        _ response: HTTPResponse, to daemonConnection: OpaquePointer, closing: Bool = false
    ) -> MHD_Result {
        let head = unsafe head
        let now = ContinuousClock.now
        connection.replying(
            until: now + engine.limits.receiveTimeout,
            mayEnd: closing || engine.isDraining || head?.mayEndConnection != false)
        var response = response
        if !response.isSound, let head {
            response = engine.response(to: .brokenAnswer, of: makeRequest(head))
            if !response.isSound {
                let whenTaken = response.whenTaken
                response = .empty(status: 500)
                response.whenTaken = whenTaken
            }
        }
        response.whenTaken?()
        return unsafe queue(
            response, requestID: id, took: now - receivedAt, closing: closing || engine.isDraining,
            on: daemonConnection)
    }
}
