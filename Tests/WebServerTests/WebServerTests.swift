import TestSupport
import Testing
import WebServer

@Suite(.serialized) struct WebServerTests {
    @Test func `curl gets an answer with the server's fields`() async throws {
        let server = try TestServer()
        let answer = try await server.curl(["-i", server.url("/")])
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(answer.hasSuffix("\r\n\r\nhello"))
        #expect(answer.contains("Content-Type: text/plain; charset=utf-8\r\n"))
        #expect(answer.contains("Content-Length: 5\r\n"))
        let id = try #require(answer.firstMatch(of: /X-Request-Id: ([0-9a-f]{16})\r\n/))
        #expect(id.1 != "0000000000000000")
        #expect(answer.contains(/\r\nServer-Timing: total;dur=[0-9]+\.[0-9][0-9]\r\n/))
    }

    @Test func `a connection is kept for the next request`() async throws {
        let server = try TestServer()
        let url = server.url("/")
        let counts = try await server.curl(
            ["-o", "/dev/null", "-o", "/dev/null", "-w", "%{num_connects} ", url, url])
        #expect(counts == "1 0 ")
    }

    @Test func `pipelined requests are answered in order`() async throws {
        let server = try TestServer()
        let one = "GET /slow?100 HTTP/1.1\r\nHost: a\r\n\r\n"
        let two = "GET /line?2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        let answer = try await server.raw(one + two)
        #expect(answer.matches(of: /HTTP\/1.1 200/).count == 2)
        #expect(answer.contains("slow"))
        #expect(answer.hasSuffix("GET /line 2<end>"))
    }

    @Test func `method, path and query arrive as they were sent`() async throws {
        let server = try TestServer()
        let answer = try await server.curl(
            ["-X", "PATCH", "--path-as-is", server.url("/line?a=%20&b=c+d&&a")])
        #expect(answer == "PATCH /line a=%20&b=c+d&&a")
        #expect(try await server.curl([server.url("/line")]) == "GET /line -")
    }

    @Test func `header fields arrive whole, in order and repeated`() async throws {
        let server = try TestServer()
        let answer = try await server.curl(
            ["-H", "X-A: one", "-H", "X-B;", "-H", "x-a: two; three", server.url("/headers")])
        #expect(answer.contains("X-A=one\nX-B=\nx-a=two; three\n"))
    }

    @Test func `headers that arrive byte by byte, long ones and odd ones are read`() async throws {
        let server = try TestServer()
        let fields = (0..<60).map { "X-\($0): \(String(repeating: "v", count: 100))\r\n" }.joined()
        let odd = "A:\r\nB:   b \t \r\nCookie: a=1; b=2\r\nC:c\r\n"
        let request =
            "\r\nGET /headers?a=1&b=&c HTTP/1.1\r\nHost: a\r\n\(odd)\(fields)"
            + "Connection: close\r\n\r\n"
        let client = """
            import socket, sys
            client = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for byte in sys.stdin.buffer.read():
                client.sendall(bytes([byte]))
            print(client.makefile("rb").read().decode())
            """
        let answer = try await ForeignProcess.runBeside(
            "python3", ["-c", client, "\(server.port)"], input: Array(request.utf8)
        ).text
        #expect(answer.contains("\nA=\nB=b\nCookie=a=1; b=2\nC=c\nX-0=vvv"))
        #expect(answer.contains("\nX-59=v"))
    }

    @Test(arguments: [0, 1, 1_000, 16_384])
    func `a body of known length arrives whole`(_ count: Int) async throws {
        let server = try TestServer()
        let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let answer = try await ForeignProcess.runBeside(
            "curl", ["-sS", "--max-time", "60", "--data-binary", "@-", server.url("/echo")],
            input: body)
        #expect(answer.output == body)
    }

    @Test func `a chunked body arrives whole`() async throws {
        let server = try TestServer()
        let body = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let answer = try await ForeignProcess.runBeside(
            "curl",
            [
                "-sS", "--max-time", "60", "-H", "Transfer-Encoding: chunked", "--data-binary",
                "@-", server.url("/echo"),
            ], input: body)
        #expect(answer.output == body)
    }

    @Test func `a body that waits for 100 Continue is asked for`() async throws {
        let server = try TestServer()
        let answer = try await server.curl(
            ["-i", "-H", "Expect: 100-continue", "-d", "abc", server.url("/echo")])
        #expect(answer.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"))
        #expect(answer.hasSuffix("\r\n\r\nabc"))
    }

    @Test func `HEAD gets the fields of GET and no body`() async throws {
        let server = try TestServer()
        let answer = try await server.raw(
            "HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(answer.contains("Content-Length: 5\r\n"))
        #expect(answer.hasSuffix("\r\n\r\n<end>"))
    }

    @Test func `204 has no body and no length`() async throws {
        let server = try TestServer()
        let answer = try await server.curl(["-i", server.url("/nothing")])
        #expect(answer.hasPrefix("HTTP/1.1 204 No Content\r\n"))
        #expect(!answer.contains("Content-Length"))
    }

    @Test func `HTTP 1.0 without Host is answered and closed`() async throws {
        let server = try TestServer()
        let answer = try await server.raw("GET / HTTP/1.0\r\n\r\n")
        #expect(answer.contains(" 200 OK\r\n"))
        #expect(answer.hasSuffix("hello<end>"))
    }

    @Test func `a large answer arrives whole`() async throws {
        let server = try TestServer()
        let answer = try await ForeignProcess.runBeside(
            "curl", ["-sS", "--max-time", "60", server.url("/big")])
        #expect(answer.output.count == 1 << 22)
    }

    @Test(arguments: ["/bad-status", "/bad-header", "/empty-header"])
    func `an answer that is not HTTP becomes 500`(_ path: String) async throws {
        let server = try TestServer()
        let answer = try await server.curl(["-i", server.url(path)])
        #expect(answer.hasPrefix("HTTP/1.1 500 "))
        #expect(answer.contains("service.broken-answer"))
        #expect(!answer.contains("Set-Cookie"))
    }

    @Test func `length and connection are the server's, the request id may be the handler's`()
        async throws
    {
        let server = try TestServer()
        let answer = try await server.curl(["-i", server.url("/own")])
        #expect(answer.contains("\r\nContent-Length: 3\r\n"))
        #expect(answer.contains("\r\nX-Request-Id: mine\r\n"))
        #expect(!answer.contains("Connection:") && !answer.contains("Transfer-Encoding:"))
        #expect(answer.hasSuffix("\r\n\r\nown"))
    }

    @Test func `two addresses are served, IPv6 too`() async throws {
        let server = try TestServer(["127.0.0.1:0", "[::1]:0"])
        let six = try #require(server.server.addresses.last)
        #expect(try await server.curl([server.url("/peer")]) == "loopback")
        #expect(try await server.curl(["-g", "http://\(six)/peer"]) == "loopback")
    }

    @Test func `each of the server's loops answers, a connection always on the same one`()
        async throws
    {
        let server = try TestServer(loops: 3)
        let urls = [String](repeating: server.url("/worker"), count: 5)
        var seen: Set<String> = []
        // Whichever loop is first takes a connection: it may take a few until each has had one.
        for _ in 0..<200 where seen.count < 3 {
            let answers = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<6 { group.addTask { try await server.curl(urls) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for answer in answers {
                let workers = Set(answer.split(separator: "\n").map(String.init))
                #expect(workers.count == 1)
                seen.formUnion(workers)
            }
        }
        #expect(seen == ["0", "1", "2"])
        await server.server.drain(within: .seconds(10))
    }

    @Test func `an address in use is refused and nothing stays open`() async throws {
        let server = try TestServer()
        let address = "127.0.0.1:\(server.port)"
        #expect(throws: WebServerError.addressInUse(address)) {
            try TestServer(["127.0.0.1:0", address])
        }
        #expect(throws: WebServerError.addressNotHere("192.0.2.1:0")) {
            try TestServer(["192.0.2.1:0"])
        }
        #expect(throws: WebServerError.nowhereToListen) { try TestServer([]) }
    }

    @Test func `a port is free again after a drain`() async throws {
        let first = try TestServer()
        _ = try await first.curl([first.url("/")])
        await first.server.drain(within: .seconds(1))
        let second = try TestServer(["127.0.0.1:\(first.port)"])
        #expect(try await second.curl([second.url("/")]) == "hello")
    }

    @Test(arguments: ["1.0", "1.1"])
    func `the handler is told the version that the client speaks`(version: String) async throws {
        let server = try TestServer()
        let answer = try await server.raw(
            "GET /version HTTP/\(version)\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(answer.hasSuffix("\r\n\r\n\(version)<end>"))
    }
}
