import TestSupport
import Testing
import WebServer

/// Requests that the handler must never see.
@Suite(.serialized) struct RefusalTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let status: Int
        let code: String

        init(_ description: String, _ text: String, _ status: Int, _ code: String) {
            testDescription = description
            bytes = Array(text.utf8)
            self.status = status
            self.code = code
        }
    }

    static let cases = [
        Case("NUL in the path", "GET /a\0b HTTP/1.1\r\nHost: a\r\n\r\n", 400, "malformed"),
        Case("NUL in the method", "GE\0T / HTTP/1.1\r\nHost: a\r\n\r\n", 400, "malformed"),
        Case("NUL in the query", "GET /?a\0b HTTP/1.1\r\nHost: a\r\n\r\n", 400, "malformed"),
        Case("%00 in the path", "GET /a%00 HTTP/1.1\r\nHost: a\r\n\r\n", 400, "malformed"),
        Case("half an escape", "GET /a%4 HTTP/1.1\r\nHost: a\r\n\r\n", 400, "malformed"),
        Case("space in the path", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", 400, "malformed"),
        Case("two spaces", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400, "malformed"),
        Case("an umlaut", "GET /ä HTTP/1.1\r\nHost: a\r\n\r\n", 400, "malformed"),
        Case("absolute form", "GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n", 400, "malformed"),
        Case("no method", "G(T / HTTP/1.1\r\nHost: a\r\n\r\n", 400, "malformed"),
        Case("NUL in a value", "GET / HTTP/1.1\r\nX: a\0b\r\nHost: a\r\n\r\n", 400, "malformed"),
        Case("NUL in the last", "GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n", 400, "malformed"),
        Case("NUL at the end", "GET / HTTP/1.1\r\nHost: a\0\r\n\r\n", 400, "malformed"),
        Case("NUL at the start", "GET / HTTP/1.1\r\nX: \0a\r\nHost: a\r\n\r\n", 400, "malformed"),
        Case("a folded line", "GET / HTTP/1.1\r\nX: a\r\n b\r\nHost: a\r\n\r\n", 400, "malformed"),
        Case("lines without CR", "GET / HTTP/1.1\nHost: a\n\n", 400, "malformed"),
        Case("a bell", "GET / HTTP/1.1\r\nHost: a\r\nX: \u{7}\r\n\r\n", 400, "malformed"),
        Case(
            "a space before the colon", "GET / HTTP/1.1\r\nHost: a\r\nX : a\r\n\r\n", 400,
            "malformed"),
        Case("no host", "GET / HTTP/1.1\r\nX: y\r\n\r\n", 400, "bad-host"),
        Case("two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, "bad-host"),
        Case("a host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400, "bad-host"),
        Case("an empty host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", 400, "bad-host"),
        Case(
            "two ideas of the length, and a request behind",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n", 400, "ambiguous-length"),
        Case(
            "two lengths",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc", 400,
            "ambiguous-length"),
        Case(
            "chunked in HTTP/1.0",
            "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400,
            "ambiguous-length"),
        Case(
            "a coding that nobody has",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501,
            "unknown-transfer-coding"),
        Case(
            "a padded coding",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked \r\n\r\n0\r\n\r\n", 501,
            "unknown-transfer-coding"),
        Case(
            "a length beyond the limit",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 16385\r\n\r\n"
                + String(repeating: "x", count: 16_385), 413, "body-too-large"),
        Case(
            "chunks beyond the limit",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n8000\r\n"
                + String(repeating: "x", count: 0x8000) + "\r\n0\r\n\r\n", 413, "body-too-large"),
    ]

    @Test(arguments: cases)
    func `what is not sound HTTP is refused and its connection closed`(_ it: Case) async throws {
        let server = try TestServer()
        let answer = try await server.raw(it.bytes)
        #expect(answer.hasPrefix("HTTP/1.1 \(it.status) "))
        #expect(answer.contains("Content-Type: application/problem+json\r\n"))
        #expect(answer.contains("\r\nConnection: close\r\n"))
        #expect(answer.contains(#"{"code":"request.\#(it.code)","#))
        let ids = answer.matches(of: /[0-9a-f]{16}/).map(\.output)
        #expect(ids.count == 2 && ids.first == ids.last)
        #expect(answer.hasSuffix(#""}<end>"#))
        #expect(server.seen == [])
    }

    @Test(arguments: [
        ("GET /\(String(repeating: "a", count: 1 << 20)) HTTP/1.1\r\nHost: a\r\n\r\n", 414),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 1 << 20))\r\n\r\n", 431),
        ("GET / HTTP/3.1\r\nHost: a\r\n\r\n", 505),
        ("GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", 400),
    ])
    func `what libmicrohttpd refuses itself is refused, and the server goes on`(
        _ request: String, _ status: Int
    ) async throws {
        let server = try TestServer()
        let answer = try await server.raw(request)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) ") || answer == "<reset>")
        #expect(server.seen == [])
        #expect(!server.complaints.isEmpty)
        #expect(try await server.curl([server.url("/")]) == "hello")
    }

    @Test func `chunks without an end are cut off`() async throws {
        let server = try TestServer()
        let chunk = "8000\r\n" + String(repeating: "x", count: 0x8000) + "\r\n"
        let answer = try await server.raw(
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                + String(repeating: chunk, count: 64))
        #expect(!answer.contains("HTTP/1.1"))
        #expect(!answer.contains("<open>"))
        #expect(server.seen == [])
    }

    @Test func `curl is told 413 whatever the size of its body`() async throws {
        let server = try TestServer()
        for size in [17_000, 200_000, 5_000_000] {
            let status = try await server.curl(
                [
                    "-o", "/dev/null", "-w", "%{http_code}", "--data-binary", "@-",
                    server.url("/echo"),
                ],
                input: [UInt8](repeating: 0x61, count: size))
            #expect(status == "413")
        }
    }

    @Test func `the codes of the refusals are distinct and explained`() {
        #expect(Set(WebServerRefusal.examples.map(\.code)).count == WebServerRefusal.examples.count)
        #expect(Set(WebServerError.examples.map(\.code)).count == WebServerError.examples.count)
        let all: [(summary: String, remedy: String)] =
            WebServerRefusal.examples.map { ($0.summary, $0.remedy) }
            + WebServerError.examples.map { ($0.summary, $0.remedy) }
        for each in all {
            #expect(!each.remedy.isEmpty && each.remedy.count <= 120)
            #expect(each.summary.count <= 120 && !each.summary.hasSuffix("."))
        }
    }
}
