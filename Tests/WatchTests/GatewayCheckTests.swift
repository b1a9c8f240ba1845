import AppleSimulator
import Clocks
import Database
import Issuance
import Merchants
import Registry
import TLSServer
import TestSupport
import Testing
import Watch

@Suite struct GatewayCheckTests {
    private func apple(_ newest: TLSVersion = .tls13) throws -> AppleSimulator {
        var configuration = SimulatorConfiguration()
        configuration.newestTLS = newest
        let apple = try AppleSimulator(configuration)
        try apple.start()
        return apple
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `a gateway that asks for an identity is healthy`(_ newest: TLSVersion) async throws {
        let apple = try apple(newest)
        defer { apple.stop() }
        let bench = try await WatchBench(at: apple)
        await bench.run()
        let seen = try #require(try await bench.seen(.gateway, "lab"))
        #expect(seen.outcome == "healthy" && seen.detail.isEmpty, "\(seen)")
    }

    @Test func `any answer is health, and one lost connection is no outage`() async throws {
        let server = try await FileServer([:])
        var lab = WatchBench.Lab()
        lab.gateway = server.url
        lab.gatewayCA = server.authority
        let bench = try await WatchBench(lab)
        await bench.run()
        #expect(try await bench.seen(.gateway, "lab")?.outcome == "healthy")
        let apple = try apple()
        defer { apple.stop() }
        let other = try await WatchBench(at: apple)
        apple.rudeness.acts[.resetOnAccept] = .next(1)
        await other.run()
        #expect(try await other.seen(.gateway, "lab")?.outcome == "healthy")
    }

    @Test func `silence and strangers are told, with when it began`() async throws {
        let apple = try apple()
        let bench = try await WatchBench(at: apple)
        apple.rudeness.serverCertificate = .expired
        await bench.run()
        let stranger = try #require(try await bench.seen(.gateway, "lab"))
        #expect(stranger.outcome == "failed" && stranger.detail.contains("is not trusted"))
        apple.stop()
        bench.clock.advance(days: 1)
        await bench.run()
        let gone = try #require(try await bench.seen(.gateway, "lab"))
        #expect(gone.outcome == "failed" && gone.detail.contains("refuses connections"))
        #expect(gone.since == stranger.since && gone.at == bench.clock.now)
    }

    @Test func `gateways that nobody uses are not looked at, and forgotten`() async throws {
        let apple = try apple()
        defer { apple.stop() }
        let bench = try await WatchBench(at: apple)
        await bench.run()
        let all = try await bench.home.database.read { try Observations.list(.gateway, in: $0) }
        #expect(all.map(\.subject) == ["lab"])
        try await bench.home.retireMerchant(bench.merchant)
        await bench.run()
        #expect(try await bench.seen(.gateway, "lab") == nil)
    }

    @Test func `a merchant's damaged record hides no gateway`() async throws {
        let apple = try apple()
        let bench = try await WatchBench(at: apple)
        apple.stop()
        try await bench.home.database.write {
            try $0.execute("UPDATE merchants SET owners = '{bad'")
        }
        let errors = await bench.checks { _ in }.run()
        #expect(errors.count == 1)
        #expect(try await bench.seen(.gateway, "lab")?.outcome == "failed")
    }
}
