import Glibc
import TestSupport
import Testing

/// Root's commands on a home of `nobody`: carried out as its owner.
@Suite(.enabled(if: OtherUser.isPossible, OtherUser.reason))
struct StepDownTests {
    @Test(.enabled(if: OtherUser.mayGoBack, OtherUser.mayNotGoBack))
    func `nothing in the home ever belongs to root`() async throws {
        let stage = try await Stage()
        let home = stage.home
        try await home.giveAway()
        let closed = home.folder.file("closed")
        try await tool("mkdir", ["-m", "0700", closed])

        let csr = "\(closed)/shop.csr"
        try await home.must(
            "certificate", "request", Stage.merchant, "payment-processing", "--out", csr)
        try await home.must(stage.filledIn(["certificate", "import", Stage.merchant, "PAIR"]))
        let bundle = "\(closed)/shop.p12"
        try await home.must(
            stage.filledIn(["certificate", "export", "ISSUED", "--password-file", "SECRET"])
                + ["--out", bundle])
        try await home.must(
            stage.filledIn(["environment", "add", "more", "--gateway", "https://localhost:2"])
                + stage.filledIn(["ANCHOR"]))
        for command in [["certificate", "list"], ["renew"], ["audit", "verify"]] {
            try await home.must(command)
        }
        // Its identity is not in use yet, which is a warning.
        #expect(try await home.run("check").status == 1)
        #expect(try await Tree.matches(home.path, "!", "-user", OtherUser.id) == [])
        // The folder's group is root's, and still nothing new gets it.
        #expect(try await Tree.matches(home.path, "-group", "0") == [home.path])

        // What --out names is root's, in a folder that is root's alone, and whole.
        let owners = try await tool("stat", ["-c", "%u %a", csr, bundle]).text
        #expect(owners == "0 600\n0 600\n")
        #expect(keyHash(ofCSR: try await tool("cat", [csr]).output) != nil)
        try await tool(
            "openssl",
            ["pkcs12", "-in", bundle, "-noout", "-passin", "file:\(home.folder.file("secret"))"])
        // The ledger says who asked, not whom the process became.
        let acts = try JSON.lines(try await home.must("audit", "list", "--json", "--limit", "1"))
        #expect(acts.last?["actor"].text?.hasPrefix("user:root (uid 0") == true)
    }

    @Test(.enabled(if: OtherUser.mayGoBack, OtherUser.mayNotGoBack))
    func `a folder prepared for the service becomes its home`() async throws {
        let home = try await TestHome(founded: false)
        try await prepare(home)
        let report = try await home.json("init")
        let owner = try await tool("id", ["-nu", OtherUser.id]).text.split(separator: "\n").first
        #expect(report["owner"].text == owner.map { String($0) })
        #expect(try await home.run("init").status == 73)
        // A key file that root makes is root's, which is no use to the service.
        let path = home.folder.file("second.key")
        let added = try await home.run("unlocker", "add", "--new-key-file", path)
        #expect(added.status == 0 && added.hints.contains { $0.contains("chown") }, "\(added)")
        #expect(added.errorText.contains("\(path) belongs to root"))
        #expect(try await Tree.matches(home.path, "!", "-user", OtherUser.id) == [])
        let acts = try JSON.lines(try await home.must("audit", "list", "--json"))
        #expect(acts.first?["actor"].text?.hasPrefix("user:root (uid 0") == true)
    }

    @Test(.enabled(if: OtherUser.mayGoBack, OtherUser.mayNotGoBack))
    func `root's backup is root's, and what root restores is the owner's`() async throws {
        let stage = try await Stage()
        let home = stage.home
        try await home.giveAway()
        let closed = home.folder.file("closed")
        try await tool("mkdir", ["-m", "0700", closed])
        let file = "\(closed)/backup.tar"
        try await home.must("backup", file)
        #expect(try await tool("stat", ["-c", "%u %a", file]).text == "0 600\n")
        #expect(try await Tree.matches(home.path, "!", "-user", OtherUser.id) == [])

        let other = try await TestHome(founded: false)
        try await prepare(other)
        try await tool("cp", [home.keyFile, other.keyFile])
        try await other.must("restore", file)
        #expect(try await Tree.matches(other.path, "!", "-user", OtherUser.id) == [])
        #expect(
            try await other.json("certificate", "list") == home.json("certificate", "list"))
        // Records alone are lost and made anew, as the owner too.
        try await tool("sh", ["-c", "rm \"$1\"/purser.db*", "sh", other.path])
        try await other.must("rebuild")
        #expect(try await Tree.matches(other.path, "!", "-user", OtherUser.id) == [])
        // What root hands over by standard input need not be a file that its owner may open.
        let third = try await TestHome(founded: false)
        try await prepare(third)
        try await tool("cp", [home.keyFile, third.keyFile])
        try await tool("chown", [OtherUser.id, third.keyFile])
        for place in ["< \(file)", "< <(cat \(file))"] {
            let words = (OtherUser.launcher + [try await OtherUser.program.value])
                .joined(separator: " ")
            let script =
                "\(words) --home \(third.path) --master-key-file \(third.keyFile) restore - "
            try await tool("bash", ["-c", script + place])
            try await tool("sh", ["-c", "rm -rf \"$1\"/*", "sh", third.path])
        }
        // Nobody else may.
        let refused = try await OtherUser.purser(
            [
                "--home", home.path, "--master-key-file", home.keyFile, "backup",
                home.folder.file("x"),
            ])
        #expect(refused.status == 77)
    }

    @Test(.enabled(if: OtherUser.mayGoBack, OtherUser.mayNotGoBack))
    func `the report says whose home root has made`() async throws {
        let home = try await TestHome(founded: false)
        try await prepare(home)
        let text = String(decoding: try await home.must("init"), as: UTF8.self)
        let owner = try await tool("id", ["-nu", OtherUser.id]).text.split(separator: "\n").first
        #expect(text.contains("it belongs to \(owner ?? "?"), who owned the folder"), "\(text)")
    }

    @Test func `a folder that anybody could have put there does not become a home by root`()
        async throws
    {
        let home = try await TestHome(founded: false)
        try await tool("chmod", ["0711", home.folder.path])
        let open = home.folder.file("open")
        try await tool("install", ["-d", "-m", "1777", open])
        let planted = "\(open)/home"
        try await tool("install", ["-d", "-m", "0700", "-o", OtherUser.id, planted])
        try await tool("ln", ["-s", open, home.folder.file("way")])
        for path in [planted, home.folder.file("way/home")] {
            let result = try await purser(
                ["--home", path, "--master-key-file", home.keyFile, "init", "--json"])
            #expect(result.code == "file.untrusted-way", "\(result.text)")
        }
        #expect(try await Tree.matches(planted, "-mindepth", "1") == [])
        #expect(access(home.keyFile, F_OK) != 0)
    }

    @Test(.enabled(if: CrashPoint.isPossible, CrashPoint.reason))
    func `root's init of a prepared folder is finished after a crash at any point`() async throws {
        for number in 1... {
            let home = try await TestHome(founded: false)
            try await prepare(home)
            let environment = try CrashPoint().dying(at: number)
            let first = try await home.run(["init"], environment: environment)
            guard first.status == CrashPoint.killed else { break }
            let second = try await home.run("init")
            #expect([0, 73].contains(second.status), "call \(number): \(second.errorText)")
            try await home.must("audit", "verify")
            #expect(
                try await Tree.matches(home.path, "!", "-user", OtherUser.id) == [],
                "call \(number)")
        }
    }

    @Test func `root's file in another's home is refused alike, with what mends it`() async throws {
        let home = try await TestHome()
        try await home.giveAway()
        let path = "\(home.path)/purser.json5"
        home.folder.write("home/purser.json5", Array("{}".utf8))
        try await tool("chmod", ["0600", path])
        for command in [
            ["merchant", "list"], ["config", "show"], ["audit", "verify"], ["check"], ["serve"],
        ] {
            let refused = try await home.run(command)
            #expect(refused.status == (command == ["check"] ? 3 : 78), "\(command)")
            #expect(refused.hints == ["run: chown nobody \(path)"], "\(command)")
        }
        try await tool("chown", ["nobody", path])
        try await home.must("config", "show")
    }

    @Test func `a thread that is just ending does not stop the step down`() async throws {
        let stage = try await Stage()
        try await stage.home.giveAway()
        // The key file is read on a thread of its own right before.
        let words = ["certificate", "activate", stage.active, "--without-rehearsal"]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for count in 0..<(Binaries.areSanitized ? 16 : 80) {
                if count >= 8 { try await group.next() }
                group.addTask { try await stage.home.must(words) }
            }
            try await group.waitForAll()
        }
    }

    private func prepare(_ home: TestHome) async throws {
        try await tool("install", ["-d", "-m", "0700", "-o", OtherUser.id, home.path])
        try await tool("chmod", ["0711", home.folder.path])
    }

    @Test func `settings of root's that a flag names are read before the step down`() async throws {
        let home = try await TestHome()
        try await home.giveAway()
        let settings = home.folder.write(
            "settings.json5", Array("{check: {warningDays: 41}, log: {level: 'debug'}}".utf8))
        let flags = home.flags + ["--config", settings]
        let shown = try await purser(flags + ["config", "show"])
        #expect(shown.text.contains("41"), "\(shown.errorText)")
        #expect(try await purser(flags + ["check"]).status == 0)
        let service = try await RunningService(home, ["--config", settings], onSocket: false)
        #expect(try await service.stop() == 0)
    }

    @Test func `settings in the home are read as its owner, never as root`() async throws {
        let home = try await TestHome()
        try await home.giveAway()
        // What the owner may not read, and root may: a link to it, and the file itself.
        let secret = home.folder.write("secret", Array("{check: {warningDays: 41}, oops: 1}".utf8))
        let settings = "\(home.path)/purser.json5"
        for verb in [["check"], ["merchant", "list"], ["config", "show"]] {
            try await tool("ln", ["-sfn", secret, settings])
            let linked = try await home.run(verb + ["--json"])
            #expect(linked.status != 0, "\(verb)")
            #expect(linked.code?.hasPrefix("file.") == true, "\(verb): \(linked.text)")
            try await tool("rm", [settings])
        }
    }

    @Test func `a service keeps nothing of root's`() async throws {
        let home = try await TestHome()
        try await home.giveAway()
        let service = try await RunningService(home, onSocket: false)
        let status = try await tool("cat", ["/proc/\(service.process.pid)/status"]).text
        let nobody = Array(repeating: OtherUser.id, count: 4).joined(separator: "\t")
        #expect(status.contains("Uid:\t\(nobody)\n"))
        #expect(status.contains("Gid:\t\(nobody)\n"))
        #expect(status.contains("CapPrm:\t0000000000000000\n"))
        let groups = status.split(separator: "\n").first { $0.hasPrefix("Groups:") }
        #expect(groups?.split(separator: "\t").contains("0") == false)
        #expect(try await service.stop() == 0)
        #expect(try await Tree.matches(home.path, "!", "-user", OtherUser.id) == [])
    }
}
