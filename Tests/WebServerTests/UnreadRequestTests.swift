import Glibc
import TestSupport
import Testing

@testable import WebServer

/// Requests that end before the handler, or a refusal of ours, hears of them.
@Suite(.serialized) struct UnreadRequestTests {
    private static let long = String(repeating: "a", count: 1 << 20)

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let request: String
        let status: Int?
        let path: String?

        init(_ description: String, _ request: String, _ status: Int?, _ path: String?) {
            testDescription = description
            (self.request, self.status, self.path) = (request, status, path)
        }
    }

    static let refused = [
        Case("a long target", "GET /\(long) HTTP/1.1\r\nHost: a\r\n\r\n", 414, nil),
        Case("a long field", "GET /x HTTP/1.1\r\nHost: a\r\nX: \(long)\r\n\r\n", 431, "/x"),
        Case("HTTP/3.1", "GET /x?y HTTP/3.1\r\nHost: a\r\n\r\n", 505, nil),
        Case("no colon", "GET /x?y HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", 400, "/x"),
        Case(
            "a length below 0", "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", 400,
            "/x"),
        Case("no request at all", "GARBAGE\r\n\r\n", nil, nil),
        Case("the start of TLS", "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\r\n", nil, nil),
    ]

    /// Those told of so far, once there are `count`; a little later, so that one too many shows.
    private func told(_ server: TestServer, _ count: Int = 1) async throws -> [UnreadRequest] {
        _ = try await BackgroundProcess.wait(seconds: 20) { server.unread.count >= count }
        try await Task.sleep(for: .milliseconds(100))
        return server.unread
    }

    @Test(arguments: refused)
    func `what libmicrohttpd refuses itself is told once, with its status and the peer`(
        _ it: Case
    ) async throws {
        let server = try TestServer()
        // Sound ones around it leave no trace here.
        #expect(try await server.curl([server.url("/")]) == "hello")
        _ = try await server.raw(it.request)
        let unread = try await told(server)
        #expect(try await server.curl([server.url("/")]) == "hello")
        #expect(
            unread.map(\.ending) == [it.status == nil ? .noRequest : .refused],
            "\(unread) \(server.complaints)")
        #expect(unread.first?.status == it.status && unread.first?.peer == .loopback)
        #expect(unread.first?.path == it.path && (unread.first?.id == nil) == (it.path == nil))
        #expect(server.unread.count == 1)
    }

    @Test func `over a Unix socket too`() async throws {
        let folder = TemporaryFolder()
        let path = folder.file("s")
        let server = try TestServer(["unix:\(path)"])
        let send = """
            import socket, sys
            client = socket.socket(socket.AF_UNIX)
            client.connect(sys.argv[1])
            client.sendall(b"GET / HTTP/3.1\\r\\n\\r\\n")
            while client.recv(4096): pass
            """
        _ = try await ForeignProcess.runBeside("python3", ["-c", send, path])
        let unread = try await told(server)
        #expect(unread.first?.status == 505)
        #expect(unread.first?.peer == .unixSocket(uid: getuid()))
    }

    @Test func `what the client or a time limit cuts short is told as that`() async throws {
        var limits = TestServer.patient
        limits.receiveTimeout = .milliseconds(300)
        let server = try TestServer(limits: limits)
        let half = "POST /half HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab"
        _ = try await server.raw(half, seconds: 20)
        #expect(try await told(server).map(\.ending) == [.cut])
        let left = try TestServer()
        _ = try await left.raw(half, seconds: 0.1)
        _ = try await left.raw("GET /left HTTP/1.1\r\nHost", seconds: 0.1)
        let unread = try await told(left, 2)
        #expect(unread.map(\.ending) == [.abandoned, .abandoned])
        #expect(unread.map(\.path) == ["/half", "/left"] && unread.allSatisfy { $0.status == nil })
    }

    @Test func `what was answered, by whomever, is not told again`() async throws {
        let server = try TestServer()
        for request in [
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "GET / HTTP/1.0\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999\r\n\r\n",
        ] { _ = try await server.raw(request, seconds: 5) }
        _ = try await server.raw("GET / HTTP/1.1\r\nHost: a\r\n\r\n", seconds: 0.2)
        // A look whether the port is open, with nothing said.
        for _ in 0..<3 { _ = try await server.raw("", seconds: 0.2) }
        await server.server.drain(within: .seconds(1))
        #expect(server.unread.isEmpty, "\(server.unread)")
    }

    @Test func `a flood of them is counted, and not all told`() async throws {
        let server = try TestServer()
        let flood = """
            import socket, sys
            for _ in range(300):
                with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as client:
                    client.sendall(b"GET / HTTP/3.1\\r\\n\\r\\n")
                    while client.recv(4096): pass
            """
        _ = try await ForeignProcess.runBeside("python3", ["-c", flood, "\(server.port)"])
        try await Task.sleep(for: .seconds(1.1))
        _ = try await server.raw("GET / HTTP/3.1\r\n\r\n")
        _ = try await BackgroundProcess.wait(seconds: 20) {
            server.unread.reduce(0) { $0 + 1 + $1.untold } >= 301
        }
        #expect(server.unread.count < 300)
        #expect(server.unread.reduce(0) { $0 + 1 + $1.untold } == 301)
        #expect(server.unread.allSatisfy { $0.status == 505 })
    }

    @Test func `a second has its ration, and what it refused is counted once`() {
        var ration = Ration()
        let start = ContinuousClock.now
        for _ in 0..<Ration.perSecond { #expect(ration.take(at: start) == 0) }
        for _ in 0..<5 { #expect(ration.take(at: start + .milliseconds(999)) == nil) }
        #expect(ration.take(at: start + .seconds(1)) == 5)
        #expect(ration.take(at: start + .seconds(1)) == 0)
    }
}
