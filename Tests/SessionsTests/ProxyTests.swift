import AppleSimulator
import Clocks
import Merchants
import PKI
import SessionSupport
import TestSupport
import Testing

@testable import Sessions

/// Sessions through a proxy: what the gateway sees, and what is told of a proxy that does its worst.
@Suite struct ProxyTests {
    let bench: SessionBench
    let identity: ActiveIdentity
    private let folder = TemporaryFolder()

    init() throws {
        bench = try SessionBench()
        identity = try bench.identity()
    }

    /// `Peers/proxy.py` of the tests of Transfers, and its URL.
    private func proxy(
        _ name: String, _ arguments: [String] = []
    ) async throws -> (BackgroundProcess, String) {
        let tests = #filePath.split(separator: "/").dropLast(2).reduce("") { "\($0)/\($1)" }
        let process = try BackgroundProcess(
            "python3",
            ["\(tests)/TransfersTests/Peers/proxy.py", "--log", folder.file("log")] + arguments,
            in: folder.path, name: name)
        let came = try await BackgroundProcess.wait(seconds: 20) { process.output.hasSuffix("\n") }
        try #require(came, "\(process.errors)")
        let port = try #require(
            process.output.split(separator: "\n").first?.split(separator: " ").last)
        return (process, "http://127.0.0.1:\(port)")
    }

    private func desk(through proxy: String) throws -> SessionDesk {
        SessionDesk(
            roster: SessionBench.roster(try bench.entry(as: identity, proxy: proxy)),
            loop: bench.loop)
    }

    @Test func `the gateway sees the client's certificate within the tunnel`() async throws {
        let (running, url) = try await proxy("open")
        defer { withExtendedLifetime(running) {} }
        let desk = try desk(through: url)
        for number in 0..<2 {
            let session = try await desk.session(for: try SessionBench.order())
            #expect(session.connectionReused == (number == 1))
        }
        #expect(bench.apple.log.records.map(\.clientUID) == [SessionBench.shop, SessionBench.shop])
        // One tunnel, and nothing else was asked of it.
        let asked = String(decoding: folder.read("log"), as: UTF8.self)
        #expect(asked == "CONNECT \(bench.apple.gatewayURL.dropFirst("https://".count))\n")
    }

    @Test func `a proxy that refuses, is dead, or answers in the gateway's place is told as that`()
        async throws
    {
        let inspector = try ServerCertificate()
        let (refusing, refusingURL) = try await proxy("refusing", ["--answer", "407"])
        let (opening, openingURL) = try await proxy(
            "opening", ["--certificate", inspector.path, "--key", inspector.keyPath])
        defer { withExtendedLifetime((refusing, opening)) {} }
        let gateway = bench.apple.gatewayURL
        let dead = FreePort.any()
        let cases: [(String, SessionError)] = [
            (refusingURL, .proxyRefused(status: 407)),
            ("http://127.0.0.1:\(dead)", .proxyFailed("cannot connect to 127.0.0.1:\(dead)")),
            (openingURL, .intercepted(gateway, issuer: "server for a test")),
        ]
        for (url, error) in cases {
            let desk = try desk(through: url)
            await #expect(throws: error) {
                try await desk.session(for: try SessionBench.order())
            }
        }
        #expect(bench.apple.log.records.isEmpty)
        // Once looked at, however many ask.
        let desk = try desk(through: openingURL)
        await withTaskGroup { group in
            for _ in 0..<20 {
                group.addTask { _ = try? await desk.session(for: try SessionBench.order()) }
            }
        }
        let tunnels = String(decoding: folder.read("log"), as: UTF8.self).split(separator: "\n")
        #expect(tunnels.count == 1 + 2 + 21)
    }

    @Test func `without a proxy, too, whoever answers is named`() async throws {
        var rudeness = Rudeness.none
        rudeness.serverCertificate = .untrusted
        bench.apple.rudeness = rudeness
        let desk = try bench.desk()
        await #expect {
            try await desk.session(for: try SessionBench.order())
        } throws: { error in
            guard case .gatewayUntrusted(_, let why) = error as? SessionError else { return false }
            return why.contains("issued by “")
        }
    }

    @Test func `a gateway of Apple's is not looked for on this machine`() async throws {
        let inside = GatewayEnvironment(
            name: .production, realm: .apple, gateway: try GatewayAddress(bench.apple.gatewayURL),
            gatewayCA: bench.apple.gatewayCAPEM, proxy: nil, isBuiltIn: true)
        let merchant = try bench.merchant(environments: [inside])
        let desk = SessionDesk(
            roster: SessionBench.roster(
                Roster.Entry(
                    merchant: merchant, domains: [try DomainName(SessionBench.domain)],
                    environments: [inside], identity: .ready(identity))), loop: bench.loop)
        await #expect {
            try await desk.session(for: try SessionBench.order())
        } throws: { error in
            (error as? SessionError)?.code == "session.network-address-refused"
        }
        let visit = await GatewayVisit.make(to: inside, within: .seconds(5))
        #expect(visit.peer == nil && visit.failure != nil)
        #expect(bench.apple.log.records.isEmpty)
    }
}
