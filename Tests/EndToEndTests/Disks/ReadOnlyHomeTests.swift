import TestSupport
import Testing

/// A home on a disk that cannot be written.
@Suite(.enabled(if: TinyDisk.isPossible, "mounting a file system needs a privileged root"))
struct ReadOnlyHomeTests {
    private let disk: TinyDisk

    init() throws {
        disk = try TinyDisk(kilobytes: 4_096)
    }

    private static let reading = [
        ["certificate", "list"], ["certificate", "show", "ISSUED"], ["check"],
        ["audit", "list"], ["audit", "verify"], ["merchant", "list"],
        ["merchant", "show", Stage.merchant], ["domain", "list", Stage.merchant],
        ["environment", "list"], ["config", "show"], ["trust", "list"],
    ]

    private static let writing = [
        ["certificate", "request", Stage.merchant, "payment-processing"],
        ["certificate", "import", Stage.merchant, "CERTIFICATE"],
        ["certificate", "activate", "ISSUED", "--without-rehearsal"],
        ["certificate", "activated", "PROCESSING"],
        ["certificate", "export", "ISSUED", "--password-file", "SECRET", "--out", "OUT"],
        ["merchant", "add", "merchant.com.example.more"], ["merchant", "retire", Stage.merchant],
        ["domain", "add", Stage.merchant, "more.example.com"],
        ["environment", "add", "more", "--gateway", "https://localhost:2", "ANCHOR"],
    ]

    @Test func `it is read, and every write says why it cannot be`() async throws {
        let stage = try await Stage(at: disk.file("home"))
        let before = try await Tree.state(of: stage.home.path)
        try disk.makeReadOnly()
        for command in Self.reading {
            let result = try await stage.home.run(stage.filledIn(command))
            // Its identity is not in use yet, which is a warning.
            let expected: Int32 = command == ["check"] ? 1 : 0
            #expect(
                result.status == expected && result.errorText == "",
                "\(command) \(result.errorText)")
        }
        // The disk is tiny, and nothing else is wrong.
        let doctor = try await stage.home.run("doctor", "--json")
        #expect(doctor.status == 78)
        for finding in try JSON(doctor.output)["findings"].elements
        where finding["severity"].text != "ok" {
            #expect(finding["check"].text == "space", "\(doctor.text)")
        }
        for command in Self.writing {
            let words = stage.filledIn(command) + ["--json"]
            let refused = try await stage.home.run(words)
            #expect(
                refused.status == 73 && refused.code == "database.read-only",
                "\(command) \(refused.text)")
        }
        #expect(stage.home.folder.read("out") == [], "nothing is exported without an entry")
        let another = try await purser(
            ["--home", disk.file("other"), "--json", "init"]
                + ["--master-key-file", stage.home.keyFile])
        #expect(another.status == 73 && another.code == "file.read-only")
        let again = try await stage.home.run("init")
        #expect(again.status == 73)

        try disk.makeReadOnly(false)
        #expect(try await Tree.state(of: stage.home.path) == before)
        try await stage.home.must(stage.filledIn(Self.writing[0]))
        #expect(try await HomeExamination(stage.home).faults == [])
    }

    @Test(.enabled(if: CrashPoint.isPossible, CrashPoint.reason))
    func `what a crash left in the log is read as well, or said to wait there`() async throws {
        let stage = try await Stage(at: disk.file("home"))
        let words = ["merchant", "add", "merchant.com.example.more"]
        let calls = try await CrashPoint().calls(of: words, on: stage.home)
        try await stage.home.must("merchant", "retire", "merchant.com.example.more")
        // The log is committed, and not yet carried into the database.
        let commit = try #require(
            calls.lastIndex { $0.hasPrefix("write") && $0.hasSuffix("/purser.db") })
        let more = ["merchant", "add", "merchant.com.example.most"]
        let killed = try await stage.home.run(
            more, environment: CrashPoint().dying(at: commit + 1))
        #expect(killed.status == CrashPoint.killed)
        try disk.makeReadOnly()
        let listed = try await stage.home.run("merchant", "list", "--json")
        if listed.status == 0 {
            #expect(listed.text.contains("merchant.com.example.most"))
        } else {
            #expect(listed.status == 77 && listed.code == "database.log-unreadable")
        }
        try disk.makeReadOnly(false)
        #expect(try await stage.home.must("merchant", "list").count > 0)
        let healed = String(decoding: try await stage.home.must("merchant", "list"), as: UTF8.self)
        #expect(healed.contains("merchant.com.example.most"))
    }
}
