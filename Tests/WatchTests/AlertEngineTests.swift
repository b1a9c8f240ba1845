import Clocks
import Database
import Issuance
import Merchants
import Problems
import Registry
import TestSupport
import Testing
import Watch

/// From findings to what receivers took.
@Suite struct AlertEngineTests {
    let home: WatchedHome
    let mail = FakeChannel(
        "mail", batch: 100, everybody: ["security@example.com"], tellsOwners: true)
    let hook = FakeChannel("webhook", everybody: ["here"])

    init() async throws {
        home = try await WatchedHome(merchants: 2)
    }

    private var engine: AlertEngine {
        AlertEngine(
            database: home.home.database, channels: [mail, hook], clock: home.clock)
    }

    @Test func `each receiver is told once, and that it is over`() async throws {
        let finding = home.expiry(in: 29)
        let first = try await engine.run([finding])
        #expect(first.raised == 1 && first.told == 3 && first.untold == 0)
        #expect(
            mail.takeOut().map(\.receiver) == [
                "mail:owner0@example.com", "mail:security@example.com",
            ])
        #expect(hook.takeOut().map(\.receiver) == ["webhook:here"])
        home.clock.advance(days: 1)
        let second = try await engine.run([finding])
        #expect(second.told == 0 && second.raised == 0 && second.open.count == 1)
        let third = try await engine.run([])
        #expect(third.resolved == 1 && third.told == 3)
        #expect(mail.takeOut().map(\.tiding.isRecovery) == [true, true])
        #expect(hook.takeOut().map(\.tiding.headline).first?.hasPrefix("RESOLVED") == true)
        #expect(try await engine.run([]).told == 0)
    }

    @Test func `what failed is tried again after a while, and longer each time`() async throws {
        let finding = home.expiry(in: 29)
        hook.refuse(true)
        var gaps: [Int64] = []
        var last = home.clock.now
        let end = last.adding(days: 2)
        while home.clock.now < end {
            let before = hook.tries
            _ = try await engine.run([finding])
            if hook.tries > before {
                gaps.append((home.clock.now.seconds - last.seconds) / 60)
                last = home.clock.now
            }
            home.clock.move(to: home.clock.now.adding(seconds: 60))
        }
        #expect(gaps.prefix(10) == [0, 1, 2, 4, 8, 16, 32, 64, 128, 256])
        #expect(gaps.dropFirst(10).allSatisfy { $0 == 360 } && gaps.count > 12)
        // The others were told once all the same.
        #expect(mail.taken.count == 2)
        let now = home.clock.now
        let undelivered = try await home.home.database.read {
            try AlertRecords.undelivered(since: now.adding(days: -1), in: $0)
        }
        #expect(undelivered.map(\.channel) == ["webhook:here"])
        #expect(undelivered.first?.failingSince == now.adding(days: -2))
        hook.refuse(false)
        home.clock.advance(days: 1)
        _ = try await engine.run([finding])
        #expect(hook.taken.count == 1)
        let mended = try await home.deliveries().first { $0.channel == "webhook:here" }
        #expect(mended?.failures == 0 && mended?.failingSince == nil && mended?.lastError == nil)
        let totals = try await home.home.database.read {
            try $0.rows(of: "SELECT * FROM alert_tallies ORDER BY channel") { row in
                "\(try row.text("channel")) \(try row.integer("sent")) \(try row.integer("failed"))"
            }
        }
        #expect(totals == ["mail 2 0", "webhook 1 \(gaps.count)"])
    }

    @Test func `what waits for its next try is untold, and said to be`() async throws {
        hook.refuse(true)
        _ = try await engine.run([home.gateway()])
        let waits = try await engine.run([home.gateway()])
        #expect(waits.told == 0 && waits.untold == 1 && waits.waiting == 1)
        #expect(waits.failures.map(\.code) == ["alert.waiting"])
        home.clock.advance(days: 1)
        hook.refuse(false)
        let told = try await engine.run([home.gateway()])
        #expect(told.untold == 0 && told.waiting == 0 && told.failures.isEmpty)
        // A recovery that failed waits as well, and is listed.
        hook.refuse(true)
        _ = try await engine.run([])
        let over = try await engine.run([])
        #expect(over.untold == 1 && over.waiting == 1)
        let listed = try await home.home.database.read { try AlertRecords.unfinished(in: $0) }
        #expect(listed.map(\.state) == ["resolved"])
    }

    @Test func `a channel that cannot be used fails alone, and is owed what it missed`()
        async throws
    {
        let why = WatchError.secretEmpty(setting: "alerts.webhook.secretFile")
        let engine = AlertEngine(
            database: home.home.database, channels: [mail, UnusableChannel.webhook(because: why)],
            clock: home.clock)
        // Told before there is anything to tell by it.
        #expect(try await engine.run([]).failures.map(\.code) == [why.code])
        for _ in 0..<2 {
            let outcome = try await engine.run([home.gateway()])
            #expect(outcome.untold == 1 && outcome.failures.map(\.code) == [why.code])
        }
        #expect(mail.taken.count == 1)
        let failing = try await home.deliveries().filter { $0.failingSince != nil }
        #expect(failing.map(\.channel) == ["webhook"] && failing[0].lastError == why.summary)
    }

    @Test func `a dead channel is asked once, and one bad answer holds up nobody else`()
        async throws
    {
        let findings = [home.gateway("a"), home.gateway("b"), home.gateway("c")]
        hook.refuse(true, channel: true)
        let dead = try await engine.run(findings)
        #expect(hook.tries == 1 && dead.untold == 3 && dead.failures.count == 1)
        home.clock.advance(days: 1)
        hook.refuse(true, channel: false)
        _ = try await engine.run(findings)
        #expect(hook.tries == 4)
    }

    @Test func `a receiver at which the channel stumbles keeps nobody else from hearing`()
        async throws
    {
        let many = FakeChannel("mail", everybody: (0..<20).map { "receiver\($0)" })
        many.stumble(at: "mail:receiver0")
        let engine = AlertEngine(
            database: home.home.database, channels: [many], clock: home.clock)
        // The first time it stands in front; later it has its turn somewhere.
        #expect(try await engine.run([home.gateway("lab", .warning)]).told == 0)
        for _ in 0..<200 where Set(many.taken.map(\.receiver)).count < 19 {
            home.clock.advance(days: 1)
            _ = try await engine.run([home.gateway("lab", .warning)])
        }
        #expect(Set(many.taken.map(\.receiver)).count == 19)
        #expect(many.taken.count == 19)
    }

    @Test func `a channel that refuses everybody is left alone after a while`() async throws {
        let many = FakeChannel("mail", everybody: (0..<20).map { "receiver\($0)" })
        many.refuse(true, channel: false)
        let engine = AlertEngine(
            database: home.home.database, channels: [many], clock: home.clock)
        let outcome = try await engine.run([home.gateway()])
        #expect(many.tries == 5 && outcome.untold == 20 && outcome.failures.count == 5)
    }

    @Test func `what was taken without our knowing is told again, under the same id`()
        async throws
    {
        let finding = home.expiry(in: 2, .critical)
        hook.refuse(true, afterTaking: true)
        _ = try await engine.run([finding])
        hook.refuse(false)
        home.clock.move(to: home.clock.now.adding(seconds: 120))
        _ = try await engine.run([finding])
        let ids = hook.takeOut().map(\.tiding.id)
        #expect(ids.count == 2 && Set(ids).count == 1)
        home.clock.advance(days: 1)
        _ = try await engine.run([finding])
        #expect(hook.taken.first.map { !ids.contains($0.tiding.id) } == true)
    }

    @Test func `who was never told of a problem is not told that it is over`() async throws {
        hook.refuse(true)
        _ = try await engine.run([home.gateway()])
        hook.refuse(false)
        home.clock.advance(days: 1)
        _ = try await engine.run([])
        #expect(hook.taken.isEmpty)
        #expect(mail.taken.count == 2)
        // And a failure that speaks of nothing any more is forgotten.
        let now = home.clock.now
        #expect(
            try await home.home.database.read {
                try AlertRecords.undelivered(since: now, in: $0)
            }.isEmpty)
    }

    @Test func `a recovery that failed is told later`() async throws {
        _ = try await engine.run([home.gateway()])
        hook.refuse(true)
        _ = try await engine.run([])
        hook.refuse(false)
        _ = hook.takeOut()
        home.clock.advance(days: 40)
        _ = try await engine.run([])
        #expect(hook.takeOut().map(\.tiding.isRecovery) == [true])
    }

    @Test func `a new owner is told of what is open, and a former one no more`() async throws {
        let finding = home.expiry(in: 29)
        _ = try await engine.run([finding])
        var change = MerchantChange()
        change.owners = ["next@example.com"]
        _ = try await home.home.changeMerchant(home.merchants[0], change)
        _ = mail.takeOut()
        _ = try await engine.run([finding])
        #expect(mail.takeOut().map(\.receiver) == ["mail:next@example.com"])
    }

    @Test func `a former owner whose mailbox refuses is forgotten, also when it is over`()
        async throws
    {
        let finding = home.expiry(in: 29)
        _ = try await engine.run([finding])
        mail.stumble(at: "mail:owner0@example.com")
        _ = try await engine.run([])
        #expect(try await home.deliveries().contains { $0.failingSince != nil })
        var change = MerchantChange()
        change.owners = ["next@example.com"]
        _ = try await home.home.changeMerchant(home.merchants[0], change)
        home.clock.advance(days: 2)
        let outcome = try await engine.run([])
        #expect(outcome.untold == 0)
        let left = try await home.deliveries()
        #expect(!left.contains { $0.failingSince != nil || $0.channel.contains("owner0") })
        let recoveries = try await home.home.database.read {
            try AlertRecords.untoldRecoveries(in: $0)
        }
        #expect(recoveries.isEmpty)
    }

    @Test func `a damaged record costs its own merchant's owners the word, and nobody else`()
        async throws
    {
        try await home.home.database.write { transaction in
            try transaction.execute(
                "UPDATE merchants SET owners = '{bad' WHERE id = ?",
                [.text(home.merchants[0].text)])
        }
        let outcome = try await engine.run([home.expiry(0, in: 29), home.expiry(1, in: 29)])
        #expect(outcome.failures.map(\.code) == ["alert.owners-unknown"])
        #expect(outcome.failures.allSatisfy { $0.nature == .unavailable })
        #expect(
            mail.taken.map(\.receiver).sorted() == [
                "mail:owner1@example.com", "mail:security@example.com",
                "mail:security@example.com",
            ])
    }

    @Test func `alerts that no channel has a receiver for are counted`() async throws {
        let owners = FakeChannel("mail", tellsOwners: true)
        let engine = AlertEngine(
            database: home.home.database, channels: [owners], clock: home.clock)
        let outcome = try await engine.run([home.expiry(0, in: 29), home.gateway()])
        #expect(outcome.unreachable == 1 && outcome.told == 1)
        let both = AlertEngine(
            database: home.home.database, channels: [owners, hook], clock: home.clock)
        #expect(try await both.run([home.expiry(0, in: 29), home.gateway()]).unreachable == 0)
    }

    @Test func `an acknowledged alert is silent until the next stage, and it is in the ledger`()
        async throws
    {
        let finding = home.expiry(in: 3, .critical)
        let opened = try await engine.run([finding])
        let alert = try #require(opened.open.first)
        let done = try await home.home.acknowledgeAlert(alert.id)
        #expect(done.isChanged && done.alert.acknowledgement?.stage == .days(3))
        let again = try await home.home.acknowledgeAlert(alert.id)
        #expect(!again.isChanged)
        _ = hook.takeOut()
        home.clock.advance(days: 1)
        #expect(try await engine.run([finding]).told == 0)
        home.clock.advance(days: 1)
        #expect(try await engine.run([finding]).told == 3)
        _ = try await engine.run([])
        await #expect(throws: RegistryError.alertOver(alert.id)) {
            try await home.home.acknowledgeAlert(alert.id)
        }
        await #expect(throws: RegistryError.alertUnknown(.example)) {
            try await home.home.acknowledgeAlert(.example)
        }
    }

    @Test(.enabled(if: TinyDisk.isPossible))
    func `a full disk loses nothing: it is told when there is room`() async throws {
        let disk = try TinyDisk(kilobytes: 2_048)
        let small = try await WatchedHome(at: disk.file("home"))
        let engine = AlertEngine(
            database: small.home.database, channels: [hook], clock: small.clock)
        let findings = (0..<40).map { small.gateway("gateway\($0)") }
        let ballast = disk.fill()
        await #expect(throws: DatabaseError.self) { try await engine.run(findings) }
        #expect(hook.taken.isEmpty)
        _ = try ForeignProcess.run("rm", [ballast])
        _ = try await engine.run(findings)
        #expect(hook.taken.count == 40)
    }
}
