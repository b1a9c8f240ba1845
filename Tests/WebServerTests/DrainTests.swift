import EventLoops
import Glibc
import TestSupport
import Testing
import WebServer

@Suite(.serialized) struct DrainTests {
    @Test func `a drain answers what is in flight, refuses the rest and ends`() async throws {
        let server = try TestServer()
        async let inFlight = server.curl(["-i", server.url("/gate")])
        try #require(await BackgroundProcess.wait(seconds: 60) { server.gate.waiting == 1 })

        async let drained: Void = server.server.drain(within: .seconds(60))
        try #require(await TestServer.isRefused(server.url("/")))
        server.gate.open()
        let answer = try await inFlight
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(answer.contains("\r\nConnection: close\r\n"))
        #expect(answer.hasSuffix("through"))
        await drained
        #expect(server.server.cutCount == 0 && server.taken == ["handler"])
        // Again is no harm.
        await server.server.drain(within: .zero)
    }

    @Test func `a request on an open connection is refused with 503 while draining`() async throws {
        let server = try TestServer()
        let folder = TemporaryFolder()
        let client = """
            import os, socket, sys, time
            # A request under way: its first half is here before the drain, its end is not.
            late = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
            late.sendall(b"GET / HTTP/1.1\\r\\nHost: ")
            busy = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
            busy.sendall(b"GET /gate HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n")
            for _ in range(6000):
                if os.path.exists(sys.argv[2]):
                    break
                time.sleep(0.01)
            late.sendall(b"a\\r\\n\\r\\n")
            print(late.makefile("rb").read().decode(), end="")
            """
        async let answer = ForeignProcess.runBeside(
            "python3", ["-c", client, "\(server.port)", folder.file("go")])
        try #require(await BackgroundProcess.wait(seconds: 60) { server.gate.waiting == 1 })
        try await Task.sleep(for: .milliseconds(500))
        async let drained: Void = server.server.drain(within: .seconds(60))
        try #require(await TestServer.isRefused(server.url("/")))
        folder.write("go", [])
        let text = try await answer.text
        #expect(text.hasPrefix("HTTP/1.1 503 "))
        #expect(text.contains("service.draining"))
        #expect(text.contains("\r\nRetry-After: 1\r\n"))
        #expect(text.contains("\r\nConnection: close\r\n"))
        server.gate.open()
        await drained
    }

    @Test func `requests that wait to be accepted are answered, not cut off`() async throws {
        let server = try TestServer(loops: 1)
        let folder = TemporaryFolder()
        // The loop is held up while the clients connect, send all of their requests, and the drain
        // begins.
        server.loops[0].perform { while access(folder.file("go"), F_OK) != 0 { usleep(1_000) } }
        let client = """
            import socket, sys
            clients = []
            for _ in range(100):
                client = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
                client.sendall(b"GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n")
                clients.append(client)
            open(sys.argv[2], "w").close()
            for client in clients:
                client.settimeout(60)
                print(client.recv(99)[:12].decode())
            """
        async let answers = ForeignProcess.runBeside(
            "python3", ["-c", client, "\(server.port)", folder.file("sent")])
        let isSent: @Sendable () -> Bool = { access(folder.file("sent"), F_OK) == 0 }
        try #require(await BackgroundProcess.wait(seconds: 60, until: isSent))
        async let drained: Void = server.server.drain(within: .seconds(60))
        try await Task.sleep(for: .milliseconds(200))
        folder.write("go", [])
        let text = try await answers.text
        #expect(text.split(separator: "\n").count { $0 == "HTTP/1.1 503" } == 100, "\(text)")
        await drained
    }

    @Test func `idle connections are closed at once`() async throws {
        let server = try TestServer()
        async let answer = server.raw("GET / HTTP/1.1\r\nHost: a\r\n\r\n", seconds: 60)
        async let inFlight = server.curl([server.url("/gate")])
        try #require(
            await BackgroundProcess.wait(seconds: 60) {
                server.gate.waiting == 1 && server.seen.count == 2
            })
        try await Task.sleep(for: .milliseconds(100))
        async let drained: Void = server.server.drain(within: .seconds(60))
        #expect(try await answer.hasSuffix("hello<end>"))
        #expect(server.gate.waiting == 1)
        server.gate.open()
        #expect(try await inFlight == "through")
        await drained
    }

    @Test func `a handler that does not end is cancelled and its client told`() async throws {
        let server = try TestServer()
        let started = ContinuousClock.now
        async let slow = server.curl(["-i", server.url("/slow?60000")])
        async let stuck = server.curl(["-i", server.url("/gate")])
        try #require(
            await BackgroundProcess.wait(seconds: 60) { server.seen.count == 2 })
        await server.server.drain(within: .milliseconds(300))
        for answer in [try await slow, try await stuck] {
            #expect(answer.hasPrefix("HTTP/1.1 503 "))
            #expect(answer.contains("service.draining"))
        }
        #expect(ContinuousClock.now - started < .seconds(50))
        #expect(server.server.cutCount == 2)
        server.gate.open()
        // Each request has one answer that was taken, whoever made it.
        try await Task.sleep(for: .milliseconds(200))
        #expect(server.taken == ["service.draining", "service.draining"])
    }

    @Test func `a second drain with less time hurries the first`() async throws {
        let server = try TestServer()
        async let answer = server.curl([server.url("/gate")])
        try #require(await BackgroundProcess.wait(seconds: 60) { server.gate.waiting == 1 })
        async let patient: Void = server.server.drain(within: .seconds(600))
        await server.server.drain(within: .zero)
        await patient
        #expect(try await answer.contains("service.draining"))
        server.gate.open()
    }

    @Test func `a server that is let go stops by itself`() async throws {
        var server: TestServer? = try TestServer()
        let url = try #require(server?.url("/"))
        #expect(try await server?.curl([url]) == "hello")
        server = nil
        #expect(try await TestServer.isRefused(url))
    }

    @Test func `drains under load lose no request that was let in`() async throws {
        for _ in 0..<5 {
            let server = try TestServer()
            // Each line is a status, 000 where the connection was refused or closed while idle.
            async let statuses = server.curl([
                "-Z", "--parallel-max", "20", "-o", "/dev/null", "-w", "%{http_code} %{errormsg}\n",
                server.url("/slow?[1-300]"),
            ])
            try #require(
                await BackgroundProcess.wait(seconds: 60) {
                    server.seen.count > 20
                })
            await server.server.drain(within: .seconds(10))
            let lines = try await statuses.split(separator: "\n")
            let answered = lines.count { $0.hasPrefix("200") }
            #expect(answered == server.seen.count)
            #expect(
                lines.allSatisfy {
                    $0.hasPrefix("200") || $0.hasPrefix("503") || $0.hasPrefix("000")
                })
        }
    }
}
