import EventLoops
import Locks
import TestSupport
import Testing
import WebServer

/// A server of ours on a free port, with a handler that shows what it was given.
final class TestServer: Sendable {
    let server: WebServer
    /// What it works on.
    let loops: [EventLoop]
    /// Lets `/gate` answer.
    let gate: Gate
    private let requests: Locked<[String]>
    private let lines: Locked<[String]>
    private let answers: Locked<[String]>
    private let unreadRequests: Locked<[UnreadRequest]>

    /// Methods and paths that the handler saw.
    var seen: [String] { requests.withLock { $0 } }

    /// Whose answers were taken: the handler's, or the refusals by their codes.
    var taken: [String] { answers.withLock { $0 } }

    /// What libmicrohttpd logged.
    var complaints: [String] { lines.withLock { $0 } }

    /// Requests that ended before they were read.
    var unread: [UnreadRequest] { unreadRequests.withLock { $0 } }

    /// Limits for a machine that may be busy with other tests.
    static let patient: WebServerLimits = {
        var limits = WebServerLimits()
        limits.handlerTimeout = .seconds(120)
        limits.receiveTimeout = .seconds(60)
        limits.idleTimeout = .seconds(120)
        return limits
    }()

    init(
        _ addresses: [String] = ["127.0.0.1:0"], passed: [PassedSocket] = [],
        limits: WebServerLimits = patient, loops: Int = 2
    ) throws {
        let gate = Gate()
        let seen = Locked<[String]>([])
        let complaints = Locked<[String]>([])
        let unread = Locked<[UnreadRequest]>([])
        self.loops = try (0..<loops).map { _ in try #require(EventLoop(name: "test server")) }
        let taken = Locked<[String]>([])
        server = try WebServer(
            on: self.loops,
            listening: try addresses.map { try ListenAddress($0) }, passed: passed, limits: limits,
            refusing: { refusal, request in
                var response = HTTPResponse.json(
                    Array(#"{"code":"\#(refusal.code)","requestId":"\#(request.id)"}"#.utf8),
                    status: refusal.status, type: "application/problem+json")
                response.whenTaken = { taken.withLock { $0.append(refusal.code) } }
                return response
            },
            log: { line in complaints.withLock { $0.append(line) } },
            unread: { request in unread.withLock { $0.append(request) } },
            handler: { request in
                seen.withLock { $0.append("\(request.method) \(request.path)") }
                var response = await Self.answer(request, gate: gate)
                response.whenTaken = { taken.withLock { $0.append("handler") } }
                return response
            })
        self.gate = gate
        requests = seen
        lines = complaints
        unreadRequests = unread
        answers = taken
    }

    private static func answer(_ request: HTTPRequest, gate: Gate) async -> HTTPResponse {
        switch request.path {
        case "/echo": return HTTPResponse(status: 200, body: request.body)
        case "/headers":
            let lines = request.headers.fields.map { "\($0.name)=\($0.value)\n" }
            return .text(lines.joined())
        case "/line": return .text("\(request.method) \(request.path) \(request.query ?? "-")")
        case "/worker": return .text("\(request.worker)\n")
        case "/version": return .text(request.isVersion10 ? "1.0" : "1.1")
        case "/peer": return .text("\(request.peer)")
        case "/nothing": return .empty()
        case "/bad-status": return HTTPResponse(status: 99)
        case "/bad-header": return HTTPResponse(status: 200, headers: ["X": "a\r\nSet-Cookie: b"])
        case "/empty-header": return HTTPResponse(status: 200, headers: ["X": ""])
        case "/own":
            let own: HTTPHeaders = [
                "content-length": "99", "Transfer-Encoding": "chunked", "Connection": "close",
                "X-Request-Id": "mine",
            ]
            return HTTPResponse(status: 200, headers: own, body: Array("own".utf8))
        case "/slow":
            let milliseconds = Int(request.query ?? "") ?? 300
            try? await Task.sleep(for: .milliseconds(milliseconds))
            return .text(Task.isCancelled ? "cancelled" : "slow")
        case "/gate":
            await gate.wait()
            return .text("through")
        case "/big":
            return HTTPResponse(status: 200, body: [UInt8](repeating: 0x62, count: 1 << 22))
        default: return .text("hello")
        }
    }

    /// The first internet address's port.
    var port: UInt16 {
        for address in server.addresses {
            switch address {
            case .ipv4(_, let port), .ipv6(_, let port): return port
            case .unix: continue
            }
        }
        return 0
    }

    func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// Runs curl quietly, at most a minute.
    func curl(_ arguments: [String], input: [UInt8] = []) async throws -> String {
        try await ForeignProcess.runBeside(
            "curl", ["-sS", "--max-time", "60", "--noproxy", "*"] + arguments, input: input
        ).text
    }

    /// Sends bytes as they are and gives all that comes back in `seconds`, or until the end, which
    /// shows as `<end>`.
    func raw(_ bytes: String, seconds: Double = 30) async throws -> String {
        try await raw(Array(bytes.utf8), seconds: seconds)
    }

    func raw(_ bytes: [UInt8], seconds: Double = 30) async throws -> String {
        try await ForeignProcess.runBeside(
            "python3", ["-c", Self.rawClient, "\(port)", "\(seconds)"], input: bytes
        ).text
    }

    /// Waits until connecting is refused (curl's exit status 7), at most 10 seconds.
    static func isRefused(_ url: String) async throws -> Bool {
        for _ in 0..<100 {
            let curl = try await ForeignProcess.runBeside("curl", ["-s", "--max-time", "5", url])
            if curl.status == 7 { return true }
            try await Task.sleep(for: .milliseconds(100))
        }
        return false
    }

    private static let rawClient = """
        import socket, sys, time
        request = sys.stdin.buffer.read()
        client = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
        client.sendall(request)
        end = time.monotonic() + float(sys.argv[2])
        answer = b""
        try:
            while True:
                client.settimeout(max(0.01, end - time.monotonic()))
                part = client.recv(65536)
                answer += part
                if not part:
                    answer += b"<end>"
                    break
        except socket.timeout:
            answer += b"<open>"
        except ConnectionError:
            answer += b"<reset>"
        sys.stdout.buffer.write(answer)
        """
}

/// A door that is shut until it is opened, for good.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    var waiting: Int { state.withLock { $0.waiters.count } }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiters.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        waiters.forEach { $0.resume() }
    }
}
