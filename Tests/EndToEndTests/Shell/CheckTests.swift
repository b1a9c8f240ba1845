import Glibc
import TestSupport
import Testing

/// `purser check` as cron and monitoring systems run it.
@Suite(.twoAtATime) struct CheckTests {
    /// Runs a shell line in which `$purser` is the program and `$home` the home.
    private func shell(_ home: TestHome, _ line: String) async throws -> ForeignProcess.Result {
        let setup = "purser='\(Binaries.purser)' home='\(home.path)'; "
        return try await ForeignProcess.runBeside("sh", ["-c", setup + line])
    }

    @Test func `it works with nothing: no environment, no key, no input, from the root folder`()
        async throws
    {
        let lab = try await Lab()
        try await lab.open()
        #expect(rename(lab.home.keyFile, lab.home.keyFile + ".away") == 0)
        for input in ["<&-", "</dev/null"] {
            let result = try await shell(
                lab.home, "cd / && exec env -i \"$purser\" check --home \"$home\" \(input)")
            #expect(result.status == 0, "\(result.errorText)")
            #expect(result.text.hasPrefix("PURSER OK - 1 watched"))
            #expect(result.errorText == "")
        }
        let named = try await shell(
            lab.home, "cd / && env -i PURSER_HOME=\"$home\" \"$purser\" check")
        #expect(named.status == 0)
        // Nor does anything else that needs no key ask for it.
        for verb in [
            "merchant list", "certificate list", "audit list", "audit verify", "config show",
        ] {
            let result = try await shell(
                lab.home, "env -i \"$purser\" --home \"$home\" \(verb) <&- && true")
            #expect(result.status == 0, "\(verb): \(result.errorText)")
        }
    }

    @Test(arguments: [(760, 0, "OK"), (20, 1, "WARNING"), (5, 2, "CRITICAL")])
    func `its status is what is left of the certificate in use`(
        days: Int, status: Int, word: String
    ) async throws {
        let lab = try await Lab()
        let shop = Shop()
        try await lab.register(shop)
        let id = try #require(
            try await lab.certify(shop, "merchant-identity", "&days=\(days)")["id"].text)
        try await lab.home.must("certificate", "activate", id)
        let result = try await lab.home.run("check")
        #expect(Int(result.status) == status)
        #expect(result.text.hasPrefix("PURSER \(word) - "), "\(result.text)")
        let told = try await lab.home.run("check", "--json")
        #expect(Int(told.status) == status)
        let report = try JSON(told.output)
        #expect(report["status"].text?.uppercased() == word)
        if status > 0 {
            #expect(report["findings"][0]["id"] == .string(id))
            // Floored: a moment has passed since it was made.
            #expect(report["findings"][0]["daysLeft"].number == days - 1)
            // A better one in use ends the alarm.
            try await lab.activate(shop)
            #expect(try await lab.home.run("check").status == 0)
        }
    }

    @Test func `its own failure is unknown, never ok`() async throws {
        let home = try await TestHome(founded: false)
        let missing = try await home.run("check")
        #expect(missing.status == 3)
        #expect(missing.text.hasPrefix("PURSER UNKNOWN - "))
        #expect(missing.errorText.contains("purser: hint: "))
        #expect(try await home.refusal("check").status == 3)
        let wrong = try await home.run("check", "--whatever")
        #expect(wrong.status == 3 && wrong.text.hasPrefix("PURSER UNKNOWN - "))
        try await home.must("init")
        #expect(try await home.run("check").status == 0)
        home.folder.write("home/purser.db", Array("this is no database at all".utf8))
        let damaged = try await home.run("check")
        #expect(damaged.status == 3 && damaged.text.hasPrefix("PURSER UNKNOWN - "))
    }
}
