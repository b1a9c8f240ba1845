import TestSupport
import Testing

@testable import Transfers

/// What goes out and what comes back.
@Suite struct ExchangeTests {
    let authority: TestAuthority
    let gateway: TestGateway
    let loop: TransferLoop
    let pool: ConnectionPool

    init() async throws {
        authority = try TestAuthority()
        gateway = try await TestGateway(authority, clients: authority)
        loop = try TransferLoop()
        pool = loop.pool(
            PoolConfiguration(
                identity: try authority.client("merchant.com.example.a"), trust: authority.trust))
    }

    @Test func `every byte goes out and comes back as it is`() async throws {
        let body = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let response = try await pool.send(
            TransferRequest(
                .post, gateway.url("/echo"),
                headers: [HeaderField("Content-Type", "application/json")], body: body))
        #expect(response.status == 200)
        #expect(response.body == body)
        #expect(response.header("content-type") == "application/octet-stream")
        #expect(response.header("absent") == nil)
        #expect(!response.connectionReused)
        #expect(response.timings.handshake > .zero)
        #expect(response.timings.total > response.timings.handshake)
    }

    @Test(arguments: [
        TransferRequest.Method.get, .post, .put, .patch, .delete,
    ])
    func `a method is sent by its name, and one after the other`(
        method: TransferRequest.Method
    ) async throws {
        for _ in 0..<2 {
            let response = try await pool.send(
                TransferRequest(method, gateway.url("/echo"), body: Array("body".utf8)))
            #expect(response.header("X-Method") == method.rawValue)
            #expect(response.body == (method.carriesBody ? Array("body".utf8) : []))
            let plain = try await pool.send(TransferRequest(.post, gateway.url("/echo")))
            #expect(plain.header("X-Method") == "POST")
        }
    }

    @Test func `only the headers asked for are sent`() async throws {
        let response = try await pool.send(
            TransferRequest(
                .post, gateway.url("/headers"),
                headers: [HeaderField("X-One", "1"), HeaderField("X-Empty", "")],
                body: [UInt8](repeating: 65, count: 3_000_000)))
        #expect(
            String(decoding: response.body, as: UTF8.self)
                == """
                ["Host: localhost:\(gateway.port)", "User-Agent: purser", "Accept: */*", \
                "X-One: 1", "X-Empty:", "Content-Length: 3000000"]
                """)
        // Others than before, on the same handle.
        let next = try await pool.send(
            TransferRequest(
                .get, gateway.url("/headers"), headers: [HeaderField("Accept", "application/json")]
            ))
        #expect(
            String(decoding: next.body, as: UTF8.self)
                == """
                ["Host: localhost:\(gateway.port)", "User-Agent: purser", \
                "Accept: application/json"]
                """)
    }

    @Test(arguments: [200, 400, 401, 417, 500, 503])
    func `every status is an answer`(status: Int) async throws {
        let response = try await pool.send(
            TransferRequest(.post, gateway.url("/status/\(status)")))
        #expect(response.status == status)
        #expect(response.body == Array(#"{"statusCode":"\#(status)"}"#.utf8))
    }

    @Test func `a redirect is an answer and is not followed`() async throws {
        let response = try await pool.send(TransferRequest(.post, gateway.url("/redirect")))
        #expect(response.status == 302)
        #expect(response.header("Location") == "https://localhost:1/elsewhere")
    }

    @Test func `plain HTTP is for those who ask for it`() async throws {
        let plain = try await TestGateway(authority, clients: nil, ["--plain"])
        let url = "http://localhost:\(plain.port)/echo"
        var configuration = PoolConfiguration(identity: nil)
        configuration.allowsPlainHTTP = true
        let open = loop.pool(configuration)
        for isReused in [false, true] {
            let response = try await open.send(TransferRequest(.post, url, body: [1, 2]))
            #expect(response.body == [1, 2])
            #expect(response.connectionReused == isReused)
        }
        await #expect {
            try await pool.send(TransferRequest(.post, url))
        } throws: {
            ($0 as? TransferError)?.code == "transfer.request-refused"
        }
        // An https URL and a server without TLS.
        await #expect {
            try await pool.send(TransferRequest(.post, plain.url("/echo")))
        } throws: {
            ($0 as? TransferError)?.code == "transfer.handshake-failed"
        }
    }

    @Test func `an encoding that nobody asked for is not undone`() async throws {
        let response = try await pool.send(TransferRequest(.get, gateway.url("/gzip")))
        #expect(response.body == Array("\u{1f}".utf8) + [0x8B] + Array(" not really".utf8))
    }

    @Test func `the headers are those of the final answer`() async throws {
        let response = try await pool.send(TransferRequest(.get, gateway.url("/interim")))
        #expect(response.status == 200)
        #expect(response.headers == [HeaderField("Content-Length", "4")])
        let chunked = try await pool.send(TransferRequest(.get, gateway.url("/chunked")))
        #expect(chunked.body == Array("abc".utf8))
    }

    @Test func `the server sees the pool's client certificate`() async throws {
        let other = loop.pool(
            PoolConfiguration(
                identity: try authority.client("merchant.com.example.rsa", rsa: true),
                trust: authority.trust))
        _ = try await pool.send(TransferRequest(.post, gateway.url("/echo")))
        _ = try await other.send(TransferRequest(.post, gateway.url("/echo")))
        #expect(
            try gateway.lines().map(\.subject)
                == ["merchant.com.example.a", "merchant.com.example.rsa"])
    }

    @Test func `openssl s_server sees the client certificate too`() async throws {
        let server = try authority.server()
        let folder = TemporaryFolder()
        let peer = try BackgroundProcess(
            "openssl",
            [
                "s_server", "-accept", "127.0.0.1:0", "-www", "-Verify", "1",
                "-verify_return_error", "-CAfile", authority.rootPath, "-cert", server.certificate,
                "-key", server.key,
            ], in: folder.path)
        let port = try await acceptPort(peer)
        let response = try await pool.send(TransferRequest(.get, "https://localhost:\(port)/"))
        #expect(response.status == 200)
        let page = String(decoding: response.body, as: UTF8.self)
        #expect(page.contains("UID=merchant.com.example.a"))
        #expect(page.contains("TLSv1.3"))
    }

    @Test(arguments: [
        "http://localhost/", "ftp://localhost/", "https://", "https://user@localhost/",
        "https://localhost/a b", "https://localhost/\u{0}", "https://localhost/ä",
    ])
    func `a URL that could mislead is refused`(url: String) async throws {
        await #expect {
            try await pool.send(TransferRequest(.get, url))
        } throws: {
            ($0 as? TransferError)?.code == "transfer.request-refused"
        }
    }

    @Test(arguments: [
        HeaderField("X\r\nY", "1"), HeaderField("X", "1\r\nY: 2"), HeaderField("", "1"),
        HeaderField("X", "1\u{0}2"), HeaderField("X:", "1"),
    ])
    func `a header that would become two is refused`(header: HeaderField) async throws {
        await #expect {
            try await pool.send(
                TransferRequest(.get, gateway.url("/echo"), headers: [header]))
        } throws: {
            ($0 as? TransferError)?.code == "transfer.request-refused"
        }
    }
}

/// The port in `ACCEPT 127.0.0.1:N`, which openssl s_server prints.
func acceptPort(_ process: BackgroundProcess) async throws -> Int {
    func port() -> Int? {
        process.output.split(separator: "\n").first { $0.hasPrefix("ACCEPT") }?
            .split(separator: ":").last.flatMap { Int($0) }
    }
    _ = try await BackgroundProcess.wait(seconds: 20) { port() != nil }
    return try #require(port(), "\(process.errors)")
}
