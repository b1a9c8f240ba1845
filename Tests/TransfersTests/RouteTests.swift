import Glibc
import TestSupport
import Testing

@testable import Transfers

/// Which addresses connections go to, by which IP, and for how long they are used.
@Suite struct RouteTests {
    let authority: TestAuthority
    let loop: TransferLoop

    init() throws {
        authority = try TestAuthority()
        loop = try TransferLoop()
    }

    private func pool(_ change: (inout PoolConfiguration) -> Void = { _ in }) -> ConnectionPool {
        var configuration = PoolConfiguration(identity: nil, trust: authority.trust)
        change(&configuration)
        return loop.pool(configuration)
    }

    @Test(arguments: ["localhost", "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "10.1.2.3"])
    func `nothing is sent to an address that no public server has`(host: String) async throws {
        let listener = try Listener(backlog: 8)
        let url = "https://\(host):\(listener.port)/"
        await #expect {
            try await pool { $0.publicAddressesOnly = true }.send(TransferRequest(.get, url))
        } throws: { error in
            guard case .addressRefused(let told, let refusal) = error as? TransferError else {
                return false
            }
            return told == "\(host):\(listener.port)"
                && refusal.range == (host == "10.1.2.3" ? "private" : "loopback")
        }
        #expect(!listener.hasCaller)
        for address in try HostAddress.resolve(host, port: 1) {
            #expect(address.refusal != nil, "\(address.text)")
        }
    }

    @Test func `a proxy may have any address, and resolves the name itself`() async throws {
        let gateway = try await TestGateway(authority, clients: nil)
        let folder = TemporaryFolder()
        let proxy = try BackgroundProcess(
            "python3", [peer("proxy.py"), "--log", folder.file("log")], in: folder.path)
        let port = try await portPrinted(by: proxy)
        let through = pool {
            $0.publicAddressesOnly = true
            $0.proxy = "http://127.0.0.1:\(port)"
        }
        #expect(try await through.send(TransferRequest(.get, gateway.url("/echo"))).status == 200)
    }

    @Test func `the version of IP is the one that was chosen`() async throws {
        let gateway = try await TestGateway(authority, clients: nil)
        for family in [AddressFamily.any, .ipv4] {
            let answer = try await pool { $0.addressFamily = family }
                .send(TransferRequest(.get, gateway.url("/echo")))
            #expect(answer.status == 200)
        }
        // The gateway listens on 127.0.0.1 alone.
        await #expect(throws: TransferError.self) {
            try await pool { $0.addressFamily = .ipv6 }
                .send(TransferRequest(.get, gateway.url("/echo")))
        }
        await #expect(throws: TransferError.unreachable(host: "127.0.0.1:\(gateway.port)")) {
            try await pool { $0.addressFamily = .ipv6 }
                .send(TransferRequest(.get, gateway.url("/echo", host: "127.0.0.1")))
        }
    }

    @Test func `a connection ends when it has lived long enough, between two requests`()
        async throws
    {
        let gateway = try await TestGateway(authority, clients: nil)
        let pool = pool { $0.connectionLifetime = .seconds(1) }
        let start = ContinuousClock.now
        var ports: Set<Int> = []
        while ContinuousClock.now - start < .seconds(2.4) {
            let answer = try await pool.send(TransferRequest(.get, gateway.url("/echo")))
            ports.insert(answer.localPort)
            try await Task.sleep(for: .milliseconds(20))
        }
        // libcurl counts whole seconds, and more than so many.
        #expect(ports.count == 2, "\(ports)")
    }

    @Test func `tinyproxy passes the client's certificate on, and says no in words of its own`()
        async throws
    {
        let gateway = try await TestGateway(authority, clients: authority)
        let identity = try authority.client("merchant.com.example.shop")
        let folder = TemporaryFolder()
        let (open, openPort) = try await tinyproxy(in: folder, "open", ports: [gateway.port])
        let (strict, strictPort) = try await tinyproxy(in: folder, "strict", ports: [443])
        defer { withExtendedLifetime((open, strict)) {} }
        let request = TransferRequest(.get, gateway.url("/echo"))
        let through = pool {
            $0.identity = identity
            $0.proxy = "http://127.0.0.1:\(openPort)"
        }
        for number in 0..<3 {
            #expect(try await through.send(request).connectionReused == (number > 0))
        }
        #expect(
            try gateway.lines().map(\.subject)
                == Array(repeating: "merchant.com.example.shop", count: 3))
        await #expect(throws: TransferError.proxyRefused(status: 403)) {
            try await pool { $0.proxy = "http://127.0.0.1:\(strictPort)" }.send(request)
        }
        // It cannot reach the gateway itself.
        let nobody = try Listener(backlog: 1)
        nobody.close()
        let (third, thirdPort) = try await tinyproxy(in: folder, "third", ports: [nobody.port])
        defer { withExtendedLifetime(third) {} }
        await #expect {
            try await pool { $0.proxy = "http://127.0.0.1:\(thirdPort)" }
                .send(TransferRequest(.get, "https://localhost:\(nobody.port)/"))
        } throws: { error in
            if case .proxyRefused(let status) = error as? TransferError {
                status >= 500
            } else {
                false
            }
        }
    }

    private func tinyproxy(
        in folder: TemporaryFolder, _ name: String, ports: [Int]
    ) async throws -> (BackgroundProcess, Int) {
        let port = FreePort.any()
        let allowed = ports.map { "ConnectPort \($0)\n" }.joined()
        folder.write(
            "\(name).conf",
            Array("Port \(port)\nListen 127.0.0.1\nTimeout 60\nAllow 127.0.0.1\n\(allowed)".utf8))
        let process = try BackgroundProcess(
            "tinyproxy", ["-d", "-c", folder.file("\(name).conf")], in: folder.path, name: name)
        let places = try HostAddress.resolve("127.0.0.1", port: UInt16(port))
        let came = try await BackgroundProcess.wait(seconds: 10) {
            let soon = ContinuousClock.now + .seconds(1)
            return (try? HostConnection.open(to: places, host: name, until: soon)) != nil
        }
        try #require(came, "\(process.output) \(process.errors)")
        return (process, port)
    }
}
