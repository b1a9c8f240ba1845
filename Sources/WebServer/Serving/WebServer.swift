package import EventLoops
internal import Glibc

/// An HTTP/1.1 server on libmicrohttpd: bounded, drainable, answering from Swift tasks.
///
/// It works on event loops, and so do its handlers as long as they do not choose another place: a
/// handler must not block. A client that goes away while its handler waits is not noticed before
/// the answer is sent. The program must ignore SIGPIPE.
/// There is no TLS here: a reverse proxy ends it.
package final class WebServer: Sendable {
    /// The addresses listened on, with the ports that the system chose where 0 was asked for.
    package let addresses: [ListenAddress]
    private let supervisor: Supervisor

    /// Listens on all of `listening` and on all that is `passed`, or on none.
    ///
    /// - Parameters:
    ///   - loops: where it works, one or more; they must not be stopped before the server. A request
    ///     tells its loop by ``HTTPRequest/worker``.
    ///   - listening: where to listen; whether beyond loopback is the caller's decision.
    ///   - passed: sockets that listen already; they are closed at the end, and nothing else is done to
    ///     them.
    ///   - limits: bounds for clients.
    ///   - refusing: makes the body of an answer for a request that the handler never sees, or does
    ///     not answer in time; the request's body is empty, and its parts may break the rules of
    ///     ``HTTPRequest``. The server adds `X-Request-Id`, `Retry-After` and `Connection`.
    ///   - log: gets libmicrohttpd's complaints, one line each; they may quote the client.
    ///   - unread: told of requests that nobody else hears of, at most ``Ration/perSecond`` a second.
    ///   - exhausted: told that connections cannot be accepted because this process has too many files
    ///     open; every ten seconds at most.
    ///   - handler: answers a request. It is cancelled when it takes too long.
    /// - Throws: ``WebServerError``.
    package init(
        on loops: [EventLoop], listening: [ListenAddress],
        passed: [PassedSocket] = [], limits: WebServerLimits = WebServerLimits(),
        refusing: @escaping @Sendable (WebServerRefusal, HTTPRequest) -> HTTPResponse,
        log: @escaping @Sendable (String) -> Void = { _ in },
        unread: @escaping @Sendable (UnreadRequest) -> Void = { _ in },
        exhausted: @escaping @Sendable () -> Void = {},
        handler: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
    ) throws(WebServerError) {
        let addresses = passed.map(\.address) + listening
        guard let first = addresses.first, !loops.isEmpty else { throw .nowhereToListen }
        guard let event = EventDescriptor() else { throw .cannotListen("\(first)", errno: errno) }
        let engine = Engine(
            limits: limits, isPatient: !passed.isEmpty, event: event, refusing: refusing, log: log,
            unread: unread,
            exhausted: exhausted, handler: handler)
        let workers = loops.enumerated().map { number, loop in
            Worker(engine: engine, loop: loop, number: number, daemons: addresses.count)
        }
        let sockets = try passed.map { ListenSocket($0) } + Self.listen(on: listening)
        let connections = Self.connectionLimit(limits) / (sockets.count * loops.count)
        guard connections > 0 else {
            sockets.forEach { $0.close() }
            throw .tooFewFiles("\(sockets[0].address)")
        }
        var daemons: [MicroHTTPDaemon] = []
        for worker in workers {
            for (socket, bell) in zip(sockets, worker.bells) {
                guard
                    let daemon = MicroHTTPDaemon(
                        listeningOn: socket, connections: connections, worker: worker, bell: bell)
                else {
                    daemons.forEach { $0.stop() }
                    sockets.forEach { $0.close() }
                    throw .cannotStart("\(socket.address)")
                }
                daemons.append(daemon)
            }
        }
        self.addresses = sockets.map(\.address)
        supervisor = Supervisor(engine: engine, daemons: daemons, sockets: sockets)
    }

    deinit {
        // Nobody waits any more: stop at once, on the supervisor's thread.
        supervisor.finish(by: .now)
    }

    /// Stops the server and returns when it has stopped, `duration` (and a second) from now at latest.
    ///
    /// New connections are refused at once and idle ones closed; requests on open connections are
    /// answered 503; those in flight are answered, each with `Connection: close`, and after `duration`
    /// refused and their handlers cancelled. Call it again, with a shorter `duration`, to hurry.
    ///
    /// With passed sockets nobody is turned away, because a successor is meant to come: connections that
    /// were not accepted wait for it, and whoever was accepted gets one more answer.
    package func drain(within duration: Duration) async {
        supervisor.finish(by: .now + duration)
        await supervisor.waitUntilOver()
    }

    /// How many requests that had begun were cut off by the end of a drain; counted when it is over.
    package var cutCount: Int { supervisor.cutCount }

    private static func listen(
        on addresses: [ListenAddress]
    ) throws(WebServerError) -> [ListenSocket] {
        var sockets: [ListenSocket] = []
        do throws(WebServerError) {
            for address in addresses { sockets.append(try ListenSocket(address)) }
        } catch {
            sockets.forEach { $0.close() }
            throw error
        }
        return sockets
    }

    /// As many as asked for, but no more than half of the descriptors that are still free: answering a
    /// request takes some too.
    private static func connectionLimit(_ limits: WebServerLimits) -> Int {
        var files = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files) == 0 else {
            return limits.maximumConnections
        }
        let free = Int(clamping: files.rlim_cur) - openFiles()
        return min(limits.maximumConnections, max(free, 0) / 2)
    }

    /// How many descriptors are open in this process; 16 where /proc does not tell.
    private static func openFiles() -> Int {
        guard let folder = unsafe opendir("/proc/self/fd") else { return 16 }
        defer { unsafe closedir(folder) }
        var count = 0
        while unsafe readdir(folder) != nil { count += 1 }
        // Itself, and `.` and `..`.
        return count - 3
    }
}
