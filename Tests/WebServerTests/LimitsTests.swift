import EventLoops
import Glibc
import TestSupport
import Testing
import WebServer

@Suite(.serialized) struct LimitsTests {
    private func limits(_ change: (inout WebServerLimits) -> Void) -> WebServerLimits {
        var limits = TestServer.patient
        change(&limits)
        return limits
    }

    @Test func `two hundred slow handlers wait side by side`() async throws {
        let server = try TestServer()
        let started = ContinuousClock.now
        let answer = try await server.curl([
            "-Z", "--parallel-max", "200", "-o", "/dev/null", "-w", "%{http_code}\n",
            server.url("/slow?1000#[1-200]"),
        ])
        #expect(answer.split(separator: "\n").count { $0 == "200" } == 200)
        // One after the other they would take 200 seconds; a busy machine may take a few.
        #expect(ContinuousClock.now - started < .seconds(50))
    }

    @Test func `a handler beyond its time is answered 504 and cancelled`() async throws {
        let server = try TestServer(limits: limits { $0.handlerTimeout = .milliseconds(200) })
        let answer = try await server.curl(["-i", server.url("/slow?30000")])
        #expect(answer.hasPrefix("HTTP/1.1 504 "))
        #expect(answer.contains("service.timed-out"))
        // The handler that ignores its cancellation changes nothing when it ends.
        #expect(try await server.curl([server.url("/gate")]).contains("service.timed-out"))
        server.gate.open()
        #expect(try await server.curl([server.url("/")]) == "hello")
    }

    @Test func `a request beyond those in flight is told to come again`() async throws {
        let server = try TestServer(limits: limits { $0.maximumInFlight = 2 })
        async let one = server.curl([server.url("/gate")])
        async let two = server.curl([server.url("/gate")])
        try #require(await BackgroundProcess.wait(seconds: 60) { server.gate.waiting == 2 })
        let answer = try await server.curl(["-i", server.url("/")])
        #expect(answer.hasPrefix("HTTP/1.1 503 "))
        #expect(answer.contains("service.overloaded"))
        #expect(answer.contains("\r\nRetry-After: 1\r\n"))
        server.gate.open()
        #expect(try await one == "through")
        #expect(try await two == "through")
        // Those that are over are counted no more: two can be let in again, one after the other.
        for _ in 0..<3 { #expect(try await server.curl([server.url("/")]) == "hello") }
    }

    /// Fills a server's slots with connections that are kept, closes some and asks once more.
    ///
    /// Its arguments are the port, the slots and how many of them to close; it prints in how many
    /// seconds the last request was answered. With a fourth it makes the file `….full`, waits for the
    /// file of that name before it closes any, and makes `….gone` then.
    private static let crowd = """
        import os, socket, sys, time
        port, slots, leaving = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
        def ask():
            client = socket.create_connection(("127.0.0.1", port))
            client.settimeout(60)
            client.sendall(b"GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n")
            assert b"hello" in client.recv(999)
            return client
        clients = [ask() for _ in range(slots)]
        if len(sys.argv) > 4:
            print("full", file=open(sys.argv[4] + ".full", "w"), flush=True)
            while not os.path.exists(sys.argv[4]):
                time.sleep(0.01)
        for client in clients[:leaving]:
            client.close()
        if len(sys.argv) > 4:
            print("gone", file=open(sys.argv[4] + ".gone", "w"), flush=True)
        time.sleep(0.1)
        began = time.time()
        ask()
        print(time.time() - began)
        """

    @Test(arguments: [(1, 1), (2, 1), (8, 1), (8, 8), (64, 1), (64, 64)])
    func `a slot that becomes free is used at once`(slots: Int, leaving: Int) async throws {
        let server = try TestServer(limits: limits { $0.maximumConnections = slots }, loops: 1)
        let told = try await ForeignProcess.runBeside(
            "python3", ["-c", Self.crowd, "\(server.port)", "\(slots)", "\(leaving)"])
        #expect(try #require(Double(told.text.dropLast())) < 10, "\(told.errorText)")
    }

    @Test(arguments: [1, 2, 8, 64, 100])
    func `a full server whose clients all leave in one turn accepts others`(
        slots: Int
    ) async throws {
        let server = try TestServer(limits: limits { $0.maximumConnections = slots }, loops: 1)
        let folder = TemporaryFolder()
        async let told = ForeignProcess.runBeside(
            "python3",
            ["-c", Self.crowd, "\(server.port)", "\(slots)", "\(slots)", folder.file("go")])
        let exists: @Sendable (String) -> Bool = { access(folder.file($0), F_OK) == 0 }
        try #require(await BackgroundProcess.wait(seconds: 60) { exists("go.full") })
        // The loop is held up until all have gone.
        server.loops[0].perform { while !exists("go.gone") { usleep(1_000) } }
        folder.write("go", [])
        #expect(try #require(Double(await told.text.dropLast())) < 10)
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: ",
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc",
    ])
    func `a request that does not end is cut off`(_ beginning: String) async throws {
        let server = try TestServer(limits: limits { $0.receiveTimeout = .milliseconds(300) })
        #expect(try await server.raw(beginning, seconds: 60) == "<end>")
        #expect(server.seen == [])
    }

    // libmicrohttpd asks for turn after turn then, and each has nothing to do.
    // A sanitizer takes the time and the processor that are measured here.
    @Test(.enabled(if: getenv("PURSER_SANITIZED") == nil))
    func `a chunk extension without an end keeps no core busy, and not for long`()
        async throws
    {
        let server = try TestServer(limits: limits { $0.receiveTimeout = .seconds(600) })
        let before = clock()
        let answer = try await server.raw(
            "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;"
                + String(repeating: "a", count: 100_000), seconds: 60)
        #expect(answer == "<end>" || answer == "<reset>")
        #expect(Double(clock() - before) / Double(CLOCKS_PER_SEC) < 0.5)
    }

    @Test func `a client that sends a byte now and then is cut off too`() async throws {
        let server = try TestServer(limits: limits { $0.receiveTimeout = .milliseconds(500) })
        let dripping = """
            import socket, sys, time
            client = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
            client.sendall(b"GET / HTTP/1.1\\r\\nX: ")
            try:
                for _ in range(100):
                    client.sendall(b"x")
                    time.sleep(0.1)
                print("never")
            except OSError:
                print("cut")
            """
        let outcome = try await ForeignProcess.runBeside(
            "python3", ["-c", dripping, "\(server.port)"])
        #expect(outcome.text == "cut\n")
    }

    @Test(arguments: ["", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HT"])
    func `an idle connection is closed`(_ before: String) async throws {
        let server = try TestServer(limits: limits { $0.idleTimeout = .milliseconds(300) })
        #expect(try await server.raw(before, seconds: 60).hasSuffix("<end>"))
    }

    @Test func `a client that does not read its answer is cut off`() async throws {
        let server = try TestServer(limits: limits { $0.receiveTimeout = .milliseconds(300) })
        let deaf = """
            import socket, sys, time
            client = socket.socket()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect(("127.0.0.1", int(sys.argv[1])))
            client.sendall(b"GET /big HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n")
            time.sleep(2)
            total = 0
            try:
                while part := client.recv(65536):
                    total += len(part)
            except OSError:
                pass
            print("whole" if total >= 1 << 22 else "cut")
            """
        let outcome = try await ForeignProcess.runBeside("python3", ["-c", deaf, "\(server.port)"])
        #expect(outcome.text == "cut\n")
    }

    @Test func `clients that leave before their answer do no harm`() async throws {
        let server = try TestServer()
        let leaving = """
            import socket, sys
            for _ in range(50):
                client = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
                client.sendall(b"GET /gate HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n")
                client.close()
            """
        _ = try await ForeignProcess.runBeside("python3", ["-c", leaving, "\(server.port)"])
        try #require(await BackgroundProcess.wait(seconds: 60) { server.gate.waiting == 50 })
        server.gate.open()
        #expect(try await server.curl([server.url("/")]) == "hello")
        await server.server.drain(within: .seconds(10))
    }

    @Test func `connections beyond the limit wait and are then served`() async throws {
        let server = try TestServer(limits: limits { $0.maximumConnections = 4 })
        let answer = try await server.curl([
            "-Z", "--parallel-max", "50", "-H", "Connection: close", "-o", "/dev/null", "-w",
            "%{http_code}\n", server.url("/slow?10#[1-50]"),
        ])
        #expect(answer.split(separator: "\n").count { $0 == "200" } == 50)
    }
}
