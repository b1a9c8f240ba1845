import AppleSimulator
import Clocks
import Database
import Issuance
import Ledger
import Merchants
import PKI
import Registry
import Sessions
import TLSServer
import TestSupport
import Testing
import Transfers
import Watch

/// Rehearsals by the watch, at the stand-in for Apple.
@Suite struct RehearsalCheckTests {
    private let apple: AppleSimulator

    init() throws {
        apple = try AppleSimulator(SimulatorConfiguration())
        try apple.portal.register("merchant.com.example.shop", domains: WatchBench.domains)
        try apple.start()
    }

    private func identity(on bench: WatchBench) async throws -> Credential {
        try await bench.activate { csr in
            try Certificate(
                der: apple.portal.sign(
                    csr: csr.der, merchant: bench.merchant.text, kind: .merchantIdentity))
        }.0
    }

    private var asked: [String] { apple.log.records.compactMap(\.domain) }

    @Test func `each interval the domain that waited longest, and no entry for good news`()
        async throws
    {
        defer { apple.stop() }
        let bench = try await WatchBench(at: apple)
        let credential = try await identity(on: bench)
        await bench.run()
        let seen = try #require(try await bench.seen(.rehearsal, credential.id.text))
        #expect(seen.outcome == "proven")
        #expect(seen.detail == "with a session for a.example.com at lab")
        #expect(try await bench.standings().map(\.provenAt) == [bench.clock.now, nil])
        await bench.run()
        #expect(asked == ["a.example.com"])
        bench.clock.move(to: bench.clock.now.adding(seconds: 86_399))
        await bench.run()
        #expect(asked.count == 1)
        bench.clock.move(to: bench.clock.now.adding(seconds: 1))
        await bench.run()
        bench.clock.advance(days: 1)
        await bench.run()
        await bench.run { $0.rehearseHours = 23 }
        #expect(asked == ["a.example.com", "b.example.com", "a.example.com"])
        #expect(try await bench.rehearsals() == [])
    }

    @Test func `a refusal is one entry, outlives a silence, and ends with the next session`()
        async throws
    {
        defer { apple.stop() }
        let bench = try await WatchBench(at: apple)
        let credential = try await identity(on: bench)
        await bench.run()
        apple.rudeness.acts[.refuseClient] = .always
        bench.clock.advance(days: 2)
        for _ in 1...3 { await bench.run() }
        let failed = try #require(try await bench.seen(.rehearsal, credential.id.text))
        #expect(failed.outcome == "failed" && failed.since == bench.clock.now)
        #expect(try await bench.rehearsals() == ["failed"])
        apple.stop()
        bench.clock.advance(days: 2)
        await bench.run()
        #expect(try await bench.seen(.rehearsal, credential.id.text) == failed)
        #expect(try await bench.seen(.gateway, "lab")?.outcome == "failed")
        apple.rudeness.acts = [:]
        try apple.start()
        await bench.run()
        #expect(try await bench.outcome(.rehearsal, credential) == "proven")
        #expect(try await bench.rehearsals() == ["failed", "proven"])
    }

    @Test func `silence alone is inconclusive, tried again at once, and no entry`() async throws {
        let bench = try await WatchBench(at: apple)
        let credential = try await identity(on: bench)
        apple.stop()
        let errors = await bench.checks().run()
        #expect(
            errors.map { ($0 as? NetworkCheckError)?.code } == ["watch.rehearsals-inconclusive"])
        #expect(try await bench.outcome(.rehearsal, credential) == "inconclusive")
        try apple.start()
        defer { apple.stop() }
        await bench.run()
        #expect(try await bench.outcome(.rehearsal, credential) == "proven")
        #expect(try await bench.rehearsals() == [])
    }

    @Test func `what did not end well is repeated soon, but not at each run, and 0 hours is never`()
        async throws
    {
        defer { apple.stop() }
        let bench = try await WatchBench(at: apple)
        let credential = try await identity(on: bench)
        await bench.run { $0.rehearseHours = 0 }
        #expect(try await bench.outcome(.rehearsal, credential) == nil)
        apple.rudeness.acts[.refuseClient] = .always
        await bench.run()
        apple.rudeness.acts = [:]
        await bench.run { $0.repeatAfter = 600 }
        #expect(try await bench.outcome(.rehearsal, credential) == "failed")
        bench.clock.move(to: bench.clock.now.adding(seconds: 600))
        await bench.run { $0.repeatAfter = 600 }
        #expect(try await bench.outcome(.rehearsal, credential) == "proven")
    }

    @Test func `a domain that Apple refuses is marked, and the others get their turn`() async throws
    {
        defer { apple.stop() }
        let bench = try await WatchBench(
            at: apple, domains: ["0.example.com"] + WatchBench.domains)
        let credential = try await identity(on: bench)
        await bench.run()
        #expect(try await bench.outcome(.rehearsal, credential) == "incomplete")
        let refused = try #require(try await bench.standings().first)
        #expect(refused.refusedAt == bench.clock.now && refused.provenAt == nil)
        #expect(refused.refusal?.isEmpty == false)
        await bench.run()
        #expect(asked == ["0.example.com", "a.example.com"])
        #expect(try await bench.outcome(.rehearsal, credential) == "proven")
        // It is registered at Apple now.
        try apple.portal.register(
            bench.merchant.text, domains: ["0.example.com"] + WatchBench.domains)
        for _ in 1...2 {
            bench.clock.advance(days: 1)
            await bench.run()
        }
        let mended = try #require(try await bench.standings().first)
        #expect(mended.refusedAt == nil && mended.refusal == nil)
        #expect(mended.provenAt == bench.clock.now)
    }

    @Test func `every environment of the merchant is tried, and the worst counts`() async throws {
        defer { apple.stop() }
        let bench = try await WatchBench(at: apple)
        var sandbox = WatchBench.Lab()
        sandbox.gateway = apple.sandboxGatewayURL
        sandbox.gatewayCA = apple.gatewayCAPEM
        try await bench.addEnvironment("lab-sandbox", sandbox)
        var change = MerchantChange()
        change.environments = [try EnvironmentName("lab"), try EnvironmentName("lab-sandbox")]
        _ = try await bench.home.changeMerchant(bench.merchant, change)
        let credential = try await identity(on: bench)
        await bench.run()
        #expect(Set(apple.log.records.filter { $0.domain != nil }.map(\.gateway)).count == 2)
        #expect(try await bench.outcome(.rehearsal, credential) == "proven")
    }

    @Test func `a person's rehearsal proves the domain too, and what is in use`() async throws {
        defer { apple.stop() }
        let bench = try await WatchBench(at: apple)
        let credential = try await identity(on: bench)
        let desk = SessionDesk(roster: Roster([], known: []), loop: bench.loop)
        defer { desk.close() }
        _ = try await bench.home.rehearse(
            credential.id, at: nil, vault: bench.vault, desk: desk)
        #expect(try await bench.standings().map(\.provenAt) == [bench.clock.now, nil])
        #expect(try await bench.outcome(.rehearsal, credential) == "proven")
        #expect(try await bench.rehearsals() == ["proven"])
    }

    @Test func `without a domain or a key there is nothing to try, and the rest goes on`()
        async throws
    {
        defer { apple.stop() }
        let bench = try await WatchBench(at: apple, domains: [])
        let credential = try await identity(on: bench)
        await bench.run()
        #expect(try await bench.outcome(.rehearsal, credential) == nil)
        try await bench.home.addDomain(DomainName("a.example.com"), of: bench.merchant)
        _ = try ForeignProcess.run("sh", ["-c", "rm -r \(bench.folder.path)/home/keys/*/*"])
        let errors = await bench.checks().run()
        #expect(errors.count == 1, "\(errors)")
        #expect(try await bench.seen(.gateway, "lab")?.outcome == "healthy")
    }
}
