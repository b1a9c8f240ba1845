import Clocks
import Database
import Files
import FoundationEssentials
import Issuance
import Ledger
import Merchants
import Problems
import Registry
import Secrets
import TestSupport
import Testing
import Transfers
import Vault

@testable import Watch

/// Alerts, to receivers that we did not write.
@Suite struct ChannelTests {
    static let certificate = Result { try ServerCertificate() }
    let home: WatchedHome
    let loop: TransferLoop

    init() async throws {
        home = try await WatchedHome(merchants: 2)
        loop = try TransferLoop()
    }

    private func mail(_ port: Int) throws -> MailChannel {
        var server = try MailServer("smtps://localhost:\(port)")
        server.trust = .bundle(pem: try Self.certificate.get().pem)
        server.connectTimeout = .seconds(5)
        server.totalTimeout = .seconds(5)
        return MailChannel(
            server: server, sender: try MailAddress("purser@example.com"),
            security: ["security@example.com"])
    }

    private func pool() throws -> ConnectionPool {
        loop.pool(
            PoolConfiguration(
                identity: nil, trust: .bundle(pem: try Self.certificate.get().pem)))
    }

    private func hook(_ peer: HookPeer, secret: String? = nil) throws -> WebhookChannel {
        WebhookChannel(
            url: peer.url("/hook?team=pay"),
            secret: secret.map { SecretBytes(copying: Array($0.utf8)) }, pool: try pool())
    }

    private func engine(_ channels: any AlertChannel...) -> AlertEngine {
        AlertEngine(database: home.home.database, channels: channels, clock: home.clock)
    }

    /// What Python's mail parser makes of a mail: subject, date, message id and text.
    private func parsed(_ message: String) throws -> [String] {
        let script = """
            import sys, json, email, email.policy
            mail = email.message_from_bytes(sys.stdin.buffer.read(), policy=email.policy.default)
            assert not mail.defects, mail.defects
            print(json.dumps([mail["subject"], mail["date"], mail["message-id"], mail["to"],
                              mail["from"],
                              mail.get_content().replace("\\r\\n", "\\n")]))
            """
        let done = try ForeignProcess.run(
            "/usr/bin/python3", ["-c", script], input: Array(message.utf8))
        try #require(done.status == 0, "\(done.errorText)")
        return try JSONDecoder().decode([String].self, from: Data(done.output))
    }

    @Test func `one mail a run for each address, with all that is due`() async throws {
        let peer = try await MailPeer(Self.certificate.get(), ["--implicit"])
        let findings = [
            home.expiry(0, in: 29), home.expiry(1, in: 2, .critical), home.gateway("lab"),
        ]
        let outcome = try await engine(try mail(peer.port)).run(findings)
        #expect(outcome.untold == 0 && outcome.failures.isEmpty)
        let mails = try peer.mails()
        #expect(
            mails.map(\.to) == [
                "owner0@example.com", "security@example.com", "owner1@example.com",
            ])
        #expect(Set(mails.map(\.peer)).count == 1)
        let digest = try parsed(try #require(mails.first { $0.to.hasPrefix("security") }).message)
        #expect(digest[0].hasPrefix("[purser] CRITICAL merchant.com.example.shop1"))
        #expect(digest[0].hasSuffix(" (and 2 more)"))
        #expect(digest[1] == "Fri, 15 Jan 2027 08:00:00 +0000")
        #expect(digest[2].hasSuffix("@example.com>"))
        #expect(digest[5].contains("the gateway lab does not answer"))
        #expect(digest[5].contains("expires in 29 days\n  Until: 2027-02-13T20:00:00Z"))
        let owner = try parsed(mails[0].message)
        #expect(owner[5].contains("shop0") && !owner[5].contains("shop1"))
        #expect(!owner[5].contains("gateway"))
    }

    @Test func `a subject and a text of any characters arrive as they are, in headers that hold`()
        async throws
    {
        let peer = try await MailPeer(Self.certificate.get(), ["--implicit"])
        let words =
            "„Schlüssel“ läuft ab — \u{1F510} in 3 Tagen = bald\r\nBcc: x@example.com\u{7F} .end "
            + String(repeating: "weit ", count: 40)
        let finding = Finding(.gateway, .warning, subject: "a", summary: words, remedy: ".dot")
        _ = try await engine(try mail(peer.port)).run([finding])
        let message = try #require(try peer.mails().first).message
        #expect(message.utf8.allSatisfy { $0 < 0x80 })
        let head = message.components(separatedBy: "\r\n\r\n")[0]
        #expect(!head.split(separator: "\r\n").contains { $0.hasPrefix("Bcc") })
        let mail = try parsed(message)
        #expect(mail[0].hasPrefix("[purser] WARNING „Schlüssel“ läuft ab — \u{1F510} in 3"))
        #expect(mail[5].contains("= bald") && mail[5].contains("weit weit"))
    }

    @Test func `a mail server that is dead, or takes some later, loses nothing`() async throws {
        let finding = home.expiry(0, in: 29)
        let dead = try await engine(try mail(1)).run([finding])
        #expect(dead.untold == 2 && dead.failures.map(\.code) == ["mail.unreachable"])
        let peer = try await MailPeer(Self.certificate.get(), ["--implicit"])
        peer.setDeferring(true)
        var change = MerchantChange()
        change.owners = ["later@example.com", "never@example.com"]
        _ = try await home.home.changeMerchant(home.merchants[0], change)
        home.clock.advance(days: 1)
        let deferred = try await engine(try mail(peer.port)).run([finding])
        #expect(deferred.failures.map(\.code) == ["mail.deferred", "mail.rejected"])
        #expect(try peer.mails().map(\.to) == ["security@example.com"])
        peer.setDeferring(false)
        home.clock.advance(days: 1)
        _ = try await engine(try mail(peer.port)).run([finding])
        #expect(try peer.mails().map(\.to) == ["security@example.com", "later@example.com"])
        let failing = try await home.deliveries().filter { $0.failingSince != nil }
        #expect(failing.map(\.channel) == ["mail:never@example.com"])
        #expect(failing.first?.lastError?.contains("550") == true)
    }

    @Test func `a webhook that answers 500, then 200, is told once it takes it`() async throws {
        let peer = try await HookPeer(try Self.certificate.get(), secret: "a shared secret")
        peer.answer(500)
        let finding = home.expiry(0, in: 29)
        let channel = try hook(peer, secret: "a shared secret")
        let refused = try await engine(channel).run([finding])
        #expect(refused.untold == 1 && refused.failures.map(\.code) == ["alert.webhook-refused"])
        peer.answer(204)
        home.clock.move(to: home.clock.now.adding(seconds: 60))
        #expect(try await engine(channel).run([finding]).told == 1)
        #expect(try await engine(channel).run([finding]).told == 0)
        let calls = try peer.calls()
        #expect(calls.map(\.status) == [500, 204] && calls.allSatisfy(\.signed))
        #expect(calls.allSatisfy { $0.type == "application/json" && $0.path == "/hook?team=pay" })
        #expect(calls[1].signature?.hasPrefix("t=1800000060,v1=") == true)
        struct Body: Decodable {
            let id, text, merchant, kind, policy, stage, urgency, state, summary, remedy: String
            let deadline, at: Timestamp
        }
        let bodies = try calls.map {
            try JSONDecoder().decode(Body.self, from: Data($0.body.utf8))
        }
        #expect(bodies[0].id == bodies[1].id)
        #expect(
            bodies[1].text
                == "WARNING merchant.com.example.shop0 merchant-identity: expires in 29 days; "
                + "next: run: purser renew")
        #expect(bodies[1].stage == "30" && bodies[1].policy == "expiry")
        #expect(bodies[1].deadline == finding.deadline && bodies[1].state == "open")
    }

    @Test(arguments: [301, 302, 400, 404, 503])
    func `no other answer of a webhook's is taken for its word`(status: Int) async throws {
        let peer = try await HookPeer(try Self.certificate.get())
        peer.answer(status)
        let outcome = try await engine(try hook(peer)).run([home.gateway()])
        #expect(outcome.untold == 1)
        let calls = try peer.calls()
        #expect(calls.count == 1 && calls.allSatisfy { $0.signature == nil })
    }

    @Test func `a round writes the textfile, and its heartbeat carries the ledger's head`()
        async throws
    {
        let peer = try await HookPeer(try Self.certificate.get())
        let path = home.folder.file("purser.prom")
        let finding = home.expiry(0, in: 5, .critical)
        let round = WatchRound(
            home: home.home, checks: [], channels: [try hook(peer)],
            textfile: AlertTextfile(path: path),
            heartbeat: Heartbeat(url: peer.url("/alive"), pool: try pool())
        ) { [finding] }
        let outcome = try await round.run()
        #expect(outcome.errors.isEmpty && outcome.alerts.told == 1)
        let text = String(decoding: home.folder.read("purser.prom"), as: UTF8.self)
        #expect(text.contains("merchant=\"merchant.com.example.shop0\",policy=\"expiry\""))
        let mode = try ForeignProcess.run("stat", ["-c", "%a", path])
        #expect(mode.text == "644\n")
        #expect(
            try ForeignProcess.run("sh", ["-c", "ls -A '\(home.folder.path)'"]).text
                == "home\npurser.prom\n")
        struct Beat: Decodable {
            struct Alerts: Decodable { let critical, warning, notice, undelivered: Int }
            struct Head: Decodable { let sequence: Int, hash: String }
            let at: Timestamp
            let merchants: Int
            let alerts: Alerts
            let ledger: Head
        }
        let call = try #require(try peer.calls().last)
        let beat = try JSONDecoder().decode(Beat.self, from: Data(call.body.utf8))
        let head = try await home.home.database.read { try Ledger.head(in: $0) }
        #expect(call.path == "/alive" && beat.ledger.hash == head.text)
        #expect(beat.ledger.sequence == 3 && beat.merchants == 2 && beat.alerts.critical == 1)

        peer.answer(503)
        let missed = try await round.run()
        #expect(missed.errors.count == 1)
        let seen = try await home.home.database.read { transaction in
            [
                try Observations.find(.watch, in: transaction)?.outcome,
                try Observations.find(.heartbeat, in: transaction)?.outcome,
            ]
        }
        #expect(seen == ["done", "failed"])
    }

    @Test func `a round that could not judge says so, resolves nothing and has no heartbeat`()
        async throws
    {
        let peer = try await HookPeer(try Self.certificate.get())
        _ = try await engine(try hook(peer)).run([home.gateway()])
        let round = WatchRound(
            home: home.home, checks: [], channels: [try hook(peer)], textfile: nil,
            heartbeat: Heartbeat(url: peer.url("/alive"), pool: try pool())
        ) { throw WatchError.heartbeatAnswered(status: 1) }
        await #expect(throws: WatchError.heartbeatAnswered(status: 1)) { try await round.run() }
        #expect(try peer.calls().count == 1)
        let (watch, open) = try await home.home.database.read { transaction in
            (
                try Observations.find(.watch, in: transaction),
                try AlertRecords.open(in: transaction).count
            )
        }
        #expect(watch?.outcome == "failed" && open == 1)
    }

    @Test func `a round that leaves somebody untold has failed, on record and in its heartbeat`()
        async throws
    {
        let peer = try await HookPeer(try Self.certificate.get())
        let why = WatchError.secretEmpty(setting: "alerts.webhook.secretFile")
        let path = home.folder.file("purser.prom")
        let findings = [home.gateway(), home.expiry(0, in: 80, .fine)]
        let round = WatchRound(
            home: home.home, checks: [], channels: [UnusableChannel.webhook(because: why)],
            textfile: AlertTextfile(path: path),
            heartbeat: Heartbeat(url: peer.url("/alive"), pool: try pool())
        ) { findings }
        for _ in 0..<2 {
            let outcome = try await round.run()
            #expect((outcome.firstUntold as? WatchError) == why && outcome.errors.isEmpty)
            let look = try await home.home.database.read { try Observations.find(.watch, in: $0) }
            #expect(look?.outcome == "failed" && look?.detail == why.summary)
        }
        #expect(try peer.calls().allSatisfy { $0.body.contains("\"undelivered\":2") })
        let text = String(decoding: home.folder.read("purser.prom"), as: UTF8.self)
        #expect(text.contains("purser_watch_undelivered 2\n"))
        #expect(text.contains("stage=\"90\",state=\"open\",urgency=\"notice\"} 1\n"))
        let judged = try ForeignProcess.run(
            "sh", ["-c", "command -v promtool > /dev/null || exit 0; promtool check metrics"],
            input: Array(text.utf8))
        #expect(judged.status == 0, "\(judged.errorText)")
    }

    @Test func `a heartbeat that cannot be sent is its own failure`() async throws {
        let why = WatchError.fileUnreadable(
            setting: "alerts.heartbeat.caFile", .notFound("/nowhere"))
        let round = WatchRound(
            home: home.home, checks: [], channels: [], textfile: nil,
            heartbeat: Heartbeat(url: "https://alive.example.com", unusable: why)
        ) { [] }
        #expect((try await round.run().errors.first as? WatchError) == why)
        let look = try await home.home.database.read { try Observations.find(.heartbeat, in: $0) }
        #expect(look?.outcome == "failed")
    }

    @Test func `a mail names what can be acknowledged, and nothing of what is over`()
        async throws
    {
        let alert = Alert(home.gateway(), stage: .critical, at: home.clock.now)
        let address = try MailAddress("p@example.com")
        func text(_ isRecovery: Bool) -> String {
            AlertMail(
                [Tiding(alert, isRecovery: isRecovery, at: home.clock.now)], from: address,
                to: address
            ).message.text
        }
        let body = text(false).components(separatedBy: "\n-- \n")
        #expect(body.count == 2)
        #expect(body[0].contains("purser alert acknowledge \(alert.id)"))
        #expect(!body[1].contains("acknowledge") && !text(true).contains("acknowledge"))
    }

    @Test func `a textfile replaces nothing but itself, by any name`() async throws {
        let layout = home.home.layout
        let folder = home.folder
        for (name, text) in [
            ("secret", "a password"), ("empty", ""), ("ours.prom", "# HELP purser_alert_open x\n"),
            ("notes.txt", "# HELP other_metric x\n"),
        ] {
            _ = try ForeignProcess.run(
                "sh", ["-c", "cat > '\(folder.file(name))'"], input: Array(text.utf8))
        }
        _ = try ForeignProcess.run(
            "sh",
            [
                "-c",
                "cd '\(folder.path)' && ln -s home link && ln -s notes.txt soft && ln empty hard"
                    + " && mkdir folder",
            ])
        func code(_ path: String) -> String? {
            let file = AlertTextfile(path: path).sparing(
                home: layout.path, [folder.file("secret"), folder.file("empty")])
            do {
                try file.write([], undelivered: 0, at: home.clock.now)
                return nil
            } catch {
                return (error as? any Explained)?.code
            }
        }
        let master = folder.read("home/master.json")
        for name in ["master.json", "purser.db", "new.prom", "keys/../master.json"] {
            #expect(code("\(layout.path)/\(name)") == "alert.textfile-in-home")
            #expect(code(folder.file("link/\(name)")) == "alert.textfile-in-home")
            #expect(code(folder.file("./folder/..//home/\(name)")) == "alert.textfile-in-home")
        }
        #expect(code(folder.file("secret")) == "alert.textfile-in-use")
        #expect(code(folder.file("empty")) == "alert.textfile-in-use")
        #expect(code(folder.file("hard")) == "alert.textfile-in-use")
        for name in ["notes.txt", "soft", "folder"] {
            #expect(code(folder.file(name)) == "alert.textfile-foreign")
        }
        #expect(folder.read("home/master.json") == master)
        #expect(String(decoding: folder.read("secret"), as: UTF8.self) == "a password")
        for name in ["ours.prom", "absent.prom", "absent.prom"] {
            #expect(code(folder.file(name)) == nil)
        }
        // Others are told all the same.
        let peer = try await HookPeer(try Self.certificate.get())
        let finding = home.expiry(0, in: 5, .critical)
        let round = WatchRound(
            home: home.home, checks: [], channels: [try hook(peer)],
            textfile: AlertTextfile(path: folder.file("notes.txt")), heartbeat: nil
        ) { [finding] }
        let outcome = try await round.run()
        #expect(outcome.alerts.told == 1)
        #expect(outcome.errors as? [WatchError] == [.textfileForeign(folder.file("notes.txt"))])
    }

    @Test func `two rounds of one home wait for each other`() async throws {
        let lock = try #require(
            try FileLock.tryTake(home.home.layout.watchLock, .exclusive))
        let round = WatchRound(
            home: home.home, checks: [], channels: [], textfile: nil, heartbeat: nil
        ) { [] }
        await #expect(throws: WatchError.busy) {
            try await round.run(waiting: .milliseconds(100))
        }
        withExtendedLifetime(lock) {}
    }

    @Test(arguments: WatchError.examples)
    func `an error is short and has a remedy`(error: WatchError) {
        #expect(!error.remedy.isEmpty && error.remedy.count <= 120)
        #expect(error.summary.count <= 120 && !error.summary.hasSuffix("."))
    }
}
