import Glibc
import TestSupport
import Testing
import WebServer

/// Sockets that were opened elsewhere, as a service manager passes them.
@Suite(.serialized) struct PassedSocketTests {
    private let folder = TemporaryFolder()

    /// A stream socket as `python3` would make it, which listens unless `listens` is false.
    private func socket(_ address: ListenAddress, listens: Bool = true) throws -> Int32 {
        let family =
            switch address {
            case .ipv4: AF_INET
            case .ipv6: AF_INET6
            case .unix: AF_UNIX
            }
        let descriptor = Glibc.socket(family, Int32(SOCK_STREAM.rawValue), 0)
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        switch address {
        case .ipv4(let text, _):
            var binary = sockaddr_in()
            binary.sin_family = sa_family_t(AF_INET)
            inet_pton(AF_INET, text, &binary.sin_addr)
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: binary, as: sockaddr_in.self) }
            size = socklen_t(MemoryLayout<sockaddr_in>.size)
        case .ipv6(let text, _):
            var binary = sockaddr_in6()
            binary.sin6_family = sa_family_t(AF_INET6)
            inet_pton(AF_INET6, text, &binary.sin6_addr)
            withUnsafeMutableBytes(of: &storage) {
                $0.storeBytes(of: binary, as: sockaddr_in6.self)
            }
            size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        case .unix(let path):
            storage.ss_family = sa_family_t(AF_UNIX)
            let name = path.hasPrefix("@") ? [0] + Array(path.utf8.dropFirst()) : Array(path.utf8)
            withUnsafeMutableBytes(of: &storage) { $0[2..<2 + name.count].copyBytes(from: name) }
            size = socklen_t(2 + name.count + (path.hasPrefix("@") ? 0 : 1))
        }
        let status = withUnsafePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        try #require(status == 0, "bind: \(errno)")
        if listens { try #require(listen(descriptor, 64) == 0) }
        return descriptor
    }

    @Test func `what is no listening stream socket is refused, and why is told`() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let datagrams = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        let idle = try socket(.unix(path: folder.file("idle")), listens: false)
        defer { for descriptor in ends + [datagrams, idle] { close(descriptor) } }
        for (descriptor, what) in [
            (ends[0], "it is no socket"), (9_999, "it is no socket"),
            (datagrams, "it is no stream socket"), (idle, "it does not listen"),
        ] {
            #expect(throws: WebServerError.passedSocket("http", what: what)) {
                try PassedSocket(descriptor, name: "http")
            }
        }
    }

    @Test func `its address is told as that of a socket of ours`() throws {
        let path = folder.file("s")
        let abstract = "@purser-test-\(getpid())"
        for (asked, told) in [
            ("127.0.0.1:0", #/127\.0\.0\.1:[1-9][0-9]*/#), ("[::1]:0", #/\[::1\]:[1-9][0-9]*/#),
        ] {
            let descriptor = try socket(try ListenAddress(asked))
            defer { close(descriptor) }
            let address = try PassedSocket(descriptor, name: "x").address
            #expect("\(address)".wholeMatch(of: told) != nil && address.isLoopback, "\(address)")
        }
        for name in [path, abstract] {
            let descriptor = try socket(.unix(path: name))
            defer { close(descriptor) }
            #expect(try PassedSocket(descriptor, name: "x").address == .unix(path: name))
        }
    }

    @Test func `whoever comes after the end waits for the next server`() async throws {
        let path = folder.file("s")
        let kept = try socket(.unix(path: path))
        defer { close(kept) }
        let ask = ["--unix-socket", path, "http://localhost/"]
        let first = try TestServer([], passed: [PassedSocket(dup(kept), name: "http")])
        #expect(first.server.addresses == [.unix(path: path)])
        #expect(try await first.curl(ask) == "hello")
        await first.server.drain(within: .seconds(10))
        // The file is there, and so is the queue behind it.
        async let waiting = first.curl(ask)
        try await Task.sleep(for: .milliseconds(100))
        let next = try TestServer(
            ["127.0.0.1:0"], passed: [PassedSocket(dup(kept), name: "http")])
        #expect(try await waiting == "hello")
        #expect(next.seen == ["GET /"])
        #expect(try await next.curl([next.url("/")]) == "hello")
        // One of both sorts is closed as it must be.
        let url = next.url("/")
        await next.server.drain(within: .seconds(10))
        #expect(try await TestServer.isRefused(url))
        #expect(access(path, F_OK) == 0 && fcntl(kept, F_GETFD) >= 0)
    }

    @Test func `who was accepted before the end is answered, however late the request`()
        async throws
    {
        let kept = try socket(.ipv4("127.0.0.1", port: 0))
        defer { close(kept) }
        let server = try TestServer([], passed: [PassedSocket(dup(kept), name: "http")])
        let client = """
            import os, socket, sys, time
            late = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
            half = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
            half.sendall(b"GET / HTTP/1.1\\r\\n")
            time.sleep(0.3)
            open(sys.argv[2], "w").close()
            time.sleep(0.3)
            late.sendall(b"GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n")
            half.sendall(b"Host: a\\r\\n\\r\\n")
            for one in late, half:
                print(one.makefile("rb").read().decode())
            """
        let connected = folder.file("connected")
        async let answers = ForeignProcess.runBeside(
            "python3", ["-c", client, "\(server.port)", connected])
        try #require(await BackgroundProcess.wait(seconds: 60) { access(connected, F_OK) == 0 })
        await server.server.drain(within: .seconds(10))
        let text = try await answers.text
        #expect(text.matches(of: /HTTP\/1\.1 200 OK/).count == 2, "\(text)")
        #expect(text.matches(of: /Connection: close/).count == 2)
        #expect(server.server.cutCount == 0)
    }

    @Test func `a client of IPv4 on a socket of both families is told as what it is`() async throws
    {
        let kept = try socket(.ipv6("::", port: 0))
        defer { close(kept) }
        let passed = try PassedSocket(dup(kept), name: "http")
        #expect(!passed.address.isLoopback)
        let server = try TestServer([], passed: [passed])
        #expect(try await server.curl([server.url("/peer")]) == "loopback")
    }
}
