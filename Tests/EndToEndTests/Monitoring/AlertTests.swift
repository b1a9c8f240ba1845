import Glibc
import TestSupport
import Testing

/// Alerts of whole programs, to real receivers, however a run ends.
@Suite(.twoAtATime) struct AlertTests {
    let home: TestHome
    let certificate: ServerCertificate

    init() async throws {
        home = try await TestHome()
        certificate = try ServerCertificate()
        // Nobody answers there, which the watch finds out and tells.
        try await home.must("environment", "add", "lab", "--gateway", "https://localhost:1")
        try await home.must("merchant", "add", "merchant.com.example.shop", "--environment", "lab")
    }

    private func configure(
        mail: MailPeer? = nil, to: String = "", hook: HookPeer? = nil, more: String = ""
    ) {
        var parts: [String] = []
        if let mail {
            parts.append(
                """
                mail: { server: "smtps://localhost:\(mail.port)", from: "purser@example.com",
                        security: ["\(to)"], caFile: "\(certificate.path)" }
                """)
        }
        if let hook {
            let trust = "caFile: \"\(certificate.path)\""
            parts.append("webhook: { url: \"\(hook.url("/hook"))\", \(trust) }")
            parts.append("heartbeat: { url: \"\(hook.url("/alive"))\", \(trust) }")
        }
        home.configure("{ alerts: { \(parts.joined(separator: ",\n")) }\(more) }")
    }

    private func hooks(_ peer: HookPeer) throws -> [HookPeer.Call] {
        try peer.calls().filter { $0.path == "/hook" }
    }

    /// The receivers of the only alert there is.
    private func receivers() async throws -> JSON {
        try await home.json("alert", "list")[0]["receivers"]
    }

    @Test func `a watch that is killed while it tells, tells it again, as the same mail`()
        async throws
    {
        let peer = try await MailPeer(certificate, ["--implicit", "--delay", "2"])
        configure(mail: peer, to: "slow@example.com")
        let process = try BackgroundProcess(
            Binaries.purser, home.flags + ["watch", "--once"], in: home.folder.path,
            environment: TestHome.environment)
        #expect(try await BackgroundProcess.wait(seconds: 60) { try peer.mails().count == 1 })
        process.signal(SIGKILL)
        #expect(try await process.wait(seconds: 10) == 137)
        #expect(try await receivers().elements.isEmpty)
        try await home.must("watch", "--once")
        try await home.must("watch", "--once")
        let mails = try peer.mails()
        #expect(mails.count == 2)
        let ids = mails.map { mail in
            mail.message.split(separator: "\r\n").first { $0.hasPrefix("Message-ID:") }
        }
        #expect(ids[0] != nil && ids[0] == ids[1])
        #expect(try await receivers()[0]["receiver"] == "mail:slow@example.com")
        #expect(try await receivers()[0]["stage"] == "warning")
    }

    @Test func `a watch that is asked to end while it tells, ends, and the next one tells`()
        async throws
    {
        let peer = try await MailPeer(certificate, ["--implicit", "--delay", "30"])
        configure(mail: peer, to: "slow@example.com")
        let process = try BackgroundProcess(
            Binaries.purser, home.flags + ["watch"], in: home.folder.path,
            environment: TestHome.environment)
        #expect(try await BackgroundProcess.wait(seconds: 60) { try peer.mails().count == 1 })
        process.signal(SIGTERM)
        #expect(try await process.wait(seconds: 20) == 0, "\(process.errors)")
        let next = try await MailPeer(certificate, ["--implicit"])
        configure(mail: next, to: "slow@example.com")
        try await home.must("watch", "--once")
        #expect(try next.mails().count == 1)
    }

    @Test func `what could not be told is an exit status, and in the list`() async throws {
        let peer = try await HookPeer(certificate)
        configure(hook: peer)
        peer.answer(500)
        let refused = try await home.run("watch", "--once")
        #expect(refused.status == 69)
        #expect(refused.text.hasSuffix("1 raised, 0 resolved; 0 told, 1 untold\n"))
        #expect(refused.errorText.contains("alert.webhook-refused"))
        let list = try await home.run("alert", "list")
        #expect(list.text.contains(": not told to webhook since "))
        // It waits for its next try: still untold, whatever the receiver would say now.
        peer.answer(200)
        let waits = try await home.run("watch", "--once")
        #expect(waits.status == 69)
        #expect(waits.text.hasSuffix("0 told, 1 untold (1 to be tried later)\n"))
        #expect(waits.errorText.contains("alert.waiting"))
        let beat = try JSON(Array(try #require(try peer.calls().last).body.utf8))
        #expect(beat["alerts"]["undelivered"] == 1)
    }

    @Test func `several watches of one home tell once`() async throws {
        let peer = try await HookPeer(certificate)
        configure(hook: peer)
        let statuses = try await withThrowingTaskGroup(of: Int32.self) { group in
            for _ in 0..<3 {
                group.addTask { try await home.run("watch", "--once").status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == [0, 0, 0])
        #expect(try hooks(peer).count == 1)
        #expect(try peer.calls().count == 4)
    }

    @Test func `a service watches too, logs it, and ends in the middle of it`() async throws {
        let peer = try await HookPeer(certificate)
        configure(hook: peer, more: ", watch: { inServe: 1 }")
        let service = try await RunningService(home)
        #expect(
            try await BackgroundProcess.wait(seconds: 60) {
                try peer.calls().count { $0.path == "/alive" } > 1
            })
        #expect(try hooks(peer).count == 1)
        #expect(service.log.contains { $0["event"] == "watched" })
        #expect(try await service.stop() == 0)
    }

    @Test func `the heartbeat's head is what audit verify takes`() async throws {
        let peer = try await HookPeer(certificate)
        configure(hook: peer)
        try await home.must("watch", "--once")
        let beat = try JSON(Array(try #require(try peer.calls().last).body.utf8))
        let hash = try #require(beat["ledger"]["hash"].text)
        let found = try await home.json("audit", "verify", "--head", hash)["found"]
        #expect(found["hash"].text == hash && found["entry"] == beat["ledger"]["sequence"])
        // Entries that come later are no contradiction; one that is gone is.
        try await home.must("domain", "add", "merchant.com.example.shop", "shop.example.com")
        let later = try await home.run("audit", "verify", "--head", hash)
        #expect(later.status == 0 && later.text.contains("\(hash) is entry "))
    }

    @Test(arguments: ["exposed", "missing", "empty", "credential"])
    func `a secret that cannot be used is its channel's failure alone`(sort: String) async throws {
        let peer = try await HookPeer(certificate)
        let secret = home.folder.file("secret")
        if sort == "exposed" || sort == "empty" {
            home.folder.write("secret", Array((sort == "empty" ? "\n" : "hush\n").utf8))
            chmod(secret, sort == "empty" ? 0o600 : 0o644)
        }
        let value = sort == "credential" ? "credential:hook" : secret
        let trust = "caFile: \"\(certificate.path)\""
        home.configure(
            """
            { alerts: { webhook: { url: "\(peer.url("/hook"))", secretFile: "\(value)", \(trust) },
                        heartbeat: { url: "\(peer.url("/alive"))", \(trust) },
                        textfile: "\(home.folder.file("purser.prom"))" },
              watch: { inServe: 1 } }
            """)
        let codes = [
            "exposed": "alert.file-unreadable", "missing": "alert.file-unreadable",
            "empty": "alert.secret-empty", "credential": "alert.credential-missing",
        ]
        let code = try #require(codes[sort])
        let ending = try await home.run("watch", "--once")
        #expect(ending.status == 69)
        #expect(ending.errorText.contains("\(code): alerts.webhook.secretFile"))
        #expect(ending.text.contains("0 told, 1 untold"))
        #expect(try peer.calls().map(\.path) == ["/alive"])
        #expect(!home.folder.read("purser.prom").isEmpty)
        #expect(try await receivers()[0]["receiver"] == "webhook")
        // Where systemd alone has it, the doctor cannot know.
        let doctor = try await home.run("doctor", "--json")
        #expect(doctor.status == (sort == "credential" ? 0 : 78), "\(doctor.text)")
        let findings = try JSON(doctor.output)["findings"].elements
        #expect(findings.contains { $0["subject"] == "alerts.webhook.secretFile" })
        // The service starts, and says so each round.
        let service = try await RunningService(home)
        #expect(
            try await BackgroundProcess.wait(seconds: 60) {
                service.log.count { $0["code"].text == code } > 1
            }, "\(service.log)")
        #expect(try await service.stop() == 0)
    }

    @Test func `a secret that systemd hands over signs`() async throws {
        let peer = try await HookPeer(certificate, secret: "hush")
        mkdir(home.folder.file("credentials"), 0o700)
        home.folder.write("credentials/hook", Array("hush\n".utf8))
        home.configure(
            """
            { alerts: { webhook: { url: "\(peer.url("/hook"))", secretFile: "credential:hook",
                                   caFile: "\(certificate.path)" } } }
            """)
        let environment = TestHome.environment.merging(
            ["CREDENTIALS_DIRECTORY": home.folder.file("credentials")]) { $1 }
        let ending = try await home.run(["watch", "--once"], environment: environment)
        #expect(ending.status == 0, "\(ending.errorText)")
        #expect(try peer.calls().allSatisfy(\.signed))
    }
}

/// From a certificate at Apple's stand-in to its owner's mailbox and back.
@Suite(.twoAtATime) struct ExpiryAlertTests {
    @Test func `an expiry is told to the owner, once, and that a new certificate has ended it`()
        async throws
    {
        let lab = try await Lab()
        let shop = Shop()
        try await lab.register(shop)
        try await lab.home.must("merchant", "set", shop.merchant, "--owner", "owner@example.com")
        let id = try #require(
            try await lab.certify(shop, "merchant-identity", "&days=20")["id"].text)
        try await lab.home.must("certificate", "activate", id)
        let certificate = try ServerCertificate()
        let peer = try await MailPeer(certificate, ["--implicit"])
        lab.home.configure(
            """
            { alerts: { mail: { server: "smtps://localhost:\(peer.port)", from: "p@example.com",
              caFile: "\(certificate.path)" } } }
            """)
        for _ in 0..<2 { try await lab.home.must("watch", "--once") }
        let alert = try await lab.home.json("alert", "list").elements.first {
            $0["policy"] == "expiry"
        }
        #expect(alert?["stage"] == "30" && alert?["kind"] == "merchant-identity")
        let told = try peer.mails()
        #expect(told.map(\.to) == ["owner@example.com"])
        #expect(told[0].message.contains("merchant-identity"))

        try await lab.activate(shop)
        for _ in 0..<2 { try await lab.home.must("watch", "--once") }
        let mails = try peer.mails()
        #expect(mails.count == 2 && mails.last?.message.contains("RESOLVED") == true)
        let open = try await lab.home.json("alert", "list").elements
        #expect(!open.contains { $0["policy"] == "expiry" })
    }
}
