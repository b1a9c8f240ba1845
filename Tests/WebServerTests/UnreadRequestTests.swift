import Glibc
import TestSupport
import Testing

@testable import WebServer

/// Requests that end before the handler, or a refusal of ours, hears of them.
@Suite(.serialized) struct UnreadRequestTests {
    private static let long = String(repeating: "a", count: 1 << 20)

    private func told(_ server: TestServer, _ count: Int = 1) async throws -> [UnreadRequest] {
        _ = try await BackgroundProcess.wait(seconds: 20) { server.unread.count >= count }
        return server.unread
    }

    @Test(arguments: [
        ("GET /\(long) HTTP/1.1\r\nHost: a\r\n\r\n", 414, nil),
        ("GET /x HTTP/1.1\r\nHost: a\r\nX: \(long)\r\n\r\n", 431, "/x"),
        ("GET /x?y HTTP/3.1\r\nHost: a\r\n\r\n", 505, "/x?y"),
        ("GET /x HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", 400, "/x"),
        ("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", 400, "/x"),
        ("GARBAGE\r\n\r\n", 0, ""),
    ] as [(String, Int, String?)])
    func `what libmicrohttpd refuses itself is told once, with its status and the peer`(
        request: String, status: Int, path: String?
    ) async throws {
        let server = try TestServer()
        // Sound ones around it leave no trace here.
        #expect(try await server.curl([server.url("/")]) == "hello")
        _ = try await server.raw(request)
        let unread = try await told(server)
        #expect(try await server.curl([server.url("/")]) == "hello")
        #expect(unread.map(\.ending) == [.refused])
        #expect(unread.first?.status == status && unread.first?.peer == .loopback)
        #expect(unread.first?.path == path && (unread.first?.id == nil) == (path == nil))
        #expect(server.unread.count == 1)
    }
}
