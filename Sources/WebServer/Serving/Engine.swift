internal import Locks

/// What all connections share.
final class Engine: Sendable {
    typealias Handler = @Sendable (HTTPRequest) async -> HTTPResponse
    typealias Refusing = @Sendable (WebServerRefusal, HTTPRequest) -> HTTPResponse

    let limits: WebServerLimits
    let handler: Handler
    let log: @Sendable (String) -> Void
    let unread: UnreadRequests
    let identifiers = RequestIdentifiers()
    /// Wakes the supervisor.
    let event: EventDescriptor
    private let refusing: Refusing
    private let exhausted: @Sendable () -> Void
    private let exhaustionTold = Locked<ContinuousClock.Instant?>(nil)
    private let admission: Locked<Admission>
    private let cut = Locked(0)
    private let connections = Locked<[ObjectIdentifier: ClientConnection]>([:])

    init(
        limits: WebServerLimits, isPatient: Bool, event: EventDescriptor,
        refusing: @escaping Refusing,
        log: @escaping @Sendable (String) -> Void,
        unread: @escaping @Sendable (UnreadRequest) -> Void,
        exhausted: @escaping @Sendable () -> Void, handler: @escaping Handler
    ) {
        self.exhausted = exhausted
        self.limits = limits
        self.event = event
        self.refusing = refusing
        self.log = log
        self.unread = UnreadRequests(unread)
        self.handler = handler
        admission = Locked(Admission(maximum: limits.maximumInFlight, isPatient: isPatient))
    }
}

extension Engine {
    /// Tells that a connection could not be accepted, but not more often than every ten seconds.
    func outOfFiles() {
        let isNews = exhaustionTold.withLock { told in
            guard told.map({ .now - $0 >= .seconds(10) }) ?? true else { return false }
            told = .now
            return true
        }
        if isNews { exhausted() }
    }
}

// MARK: - Requests

extension Engine {
    /// Lets a request in, or says why not; one that was let in is released once.
    func admit() -> WebServerRefusal? {
        admission.withLock { $0.admit() }
    }

    func release() {
        if admission.withLock({ $0.release() }) { event.signal() }
    }

    /// Counts a request that was let in and gets no answer of its handler's, because the server stops.
    func cutOne() {
        cut.withLock { $0 += 1 }
    }

    var cutCount: Int { cut.withLock { $0 } }
    var isDraining: Bool { admission.withLock { $0.phase != .open } }
    var isStopping: Bool { admission.withLock { $0.phase == .stopping } }
    var inFlight: Int { admission.withLock { $0.inFlight } }

    func startDraining() {
        admission.withLock { $0.drain() }
    }

    func startStopping() {
        admission.withLock { $0.stop() }
    }

    /// The caller's words for a refusal, with the fields that are the server's.
    func response(to refusal: WebServerRefusal, of request: HTTPRequest) -> HTTPResponse {
        var response = refusing(refusal, request)
        if refusal.status == 503 { response.headers.set("Retry-After", "1") }
        return response
    }
}

// MARK: - Connections

extension Engine {
    func opened(_ connection: ClientConnection) {
        let isFirst = connections.withLock { connections in
            connections[ObjectIdentifier(connection)] = connection
            return connections.count == 1
        }
        // Without connections the supervisor sleeps without an end.
        if isFirst { event.signal() }
    }

    func closed(_ connection: ClientConnection) {
        // Without a request there is no end of one, when it was the request line that was refused.
        let ending = connection.closed()
        if ending != .ordinary, !isDraining {
            let status = unread.takeStatus()
            if status != nil || ending == .withoutRequest {
                unread.ended(
                    UnreadRequest(
                        peer: connection.peer, ending: status == nil ? .noRequest : .refused,
                        status: status, begunAt: connection.acceptedAt))
            }
        }
        let wasLast = connections.withLock { connections in
            connections.removeValue(forKey: ObjectIdentifier(connection))
            return connections.isEmpty
        }
        // It sees to it once more that all daemons accept, and sleeps.
        if wasLast { event.signal() }
    }

    var openConnections: [ClientConnection] {
        connections.withLock { Array($0.values) }
    }

    var hasConnections: Bool { connections.withLock { !$0.isEmpty } }
}
