import Glibc
import Merchants
import TestSupport
import Testing

/// A disk that fills up, at every point of a command.
@Suite(.enabled(if: TinyDisk.isPossible, "mounting a file system needs a privileged root"))
struct FullDiskTests {
    private let disk: TinyDisk

    /// By how many pages the room on the disk grows from one try to the next.
    private static let step = Binaries.areSanitized ? 8 : Binaries.soak > 1 ? 1 : 2

    init() throws {
        disk = try TinyDisk(kilobytes: 4_096)
    }

    private static let commands = [
        ["certificate", "request", Stage.merchant, "payment-processing"],
        ["certificate", "import", Stage.merchant, "CERTIFICATE"],
        ["certificate", "activate", "ISSUED", "--without-rehearsal"],
        ["environment", "add", "more", "--gateway", "https://localhost:2", "ANCHOR"],
    ]

    @Test func `whatever is left on the disk, a command does all or nothing`() async throws {
        let stage = try await Stage(at: disk.file("home"))
        var refused = 0
        for command in Self.commands {
            let words = stage.filledIn(command)
            // Some pages more each time: first not even SQLite's own files fit, at last all does.
            for pages in stride(from: 0, to: 1_000, by: Self.step) {
                try await stage.restore()
                try leave(pages: pages)
                let result = try await stage.home.run(words + ["--json"])
                try await reads(stage)
                try makeRoom()
                let said = result.text + result.errorText
                let place: Comment = "\(command) with \(pages) pages left: \(said)"
                if result.status == 0 { break }
                refused += 1
                #expect(result.status == 73, place)
                #expect(["database.disk-full", "file.disk-full"].contains(result.code), place)
                #expect(try await HomeExamination(stage.home, settled: false).faults == [], place)
                // An environment may have been recorded before the end.
                let second = try await stage.home.run(words)
                #expect(second.status == 0 || second.status == 73, "\(place) \(second.errorText)")
                try await stage.home.must(
                    "certificate", "activate", stage.active, "--without-rehearsal")
                #expect(try await HomeExamination(stage.home).faults == [], place)
            }
        }
        #expect(refused > 30 / Self.step)
    }

    @Test func `init on a full disk is finished once there is room`() async throws {
        for pages in stride(from: 0, to: 1_000, by: Self.step) {
            let home = try await TestHome(founded: false, at: disk.file("home-\(pages)"))
            try leave(pages: pages)
            let result = try await home.run("init", "--json")
            try makeRoom()
            if result.status == 0 { break }
            #expect(result.status == 73, "\(pages) pages left: \(result.text)")
            #expect(["database.disk-full", "file.disk-full"].contains(result.code))
            let second = try await home.run("init")
            #expect(second.status == 0, "\(pages) pages left: \(second.errorText)")
            #expect(try await HomeExamination(home).faults == [])
            try await tool("rm", ["-rf", home.path])
        }
    }

    @Test func `a file that does not fit is not there at all, and its key is not lost`()
        async throws
    {
        let stage = try await Stage()
        disk.fill()
        let csr = disk.file("shop.csr")
        let request = [
            "certificate", "request", Stage.merchant, "payment-processing", "--out", csr,
        ]
        let refused = try await stage.home.run(request)
        #expect(refused.status == 73)
        let command = "print the CSR with: purser certificate show "
        let id = try #require(
            refused.hints.first { $0.hasPrefix(command) }?.dropFirst(command.count))
        #expect(try await Tree.matches(disk.path, "-type", "f") == [disk.file("ballast")])
        let shown = try await stage.home.json("certificate", "show", String(id))
        #expect(keyHash(ofCSR: Array((shown["csr"].text ?? "").utf8)) != nil)

        let bundle = disk.file("shop.p12")
        let export = stage.filledIn([
            "certificate", "export", "ISSUED", "--password-file", "SECRET",
        ])
        let exported = try await stage.home.run(export + ["--out", bundle, "--json"])
        #expect(exported.status == 73 && exported.code == "file.disk-full")
        #expect(try await Tree.matches(disk.path, "-type", "f") == [disk.file("ballast")])
        try makeRoom()
        try await stage.home.must(export + ["--out", bundle])
        #expect(try await HomeExamination(stage.home).faults == [])
    }

    @Test func `output that cannot be written is an error and loses no key`() async throws {
        let stage = try await Stage()
        for json in [[], ["--json"]] {
            let words =
                stage.home.flags
                + ["certificate", "request", Stage.merchant, "payment-processing"] + json
            let result = try await ForeignProcess.runBeside(
                "sh", ["-c", "exec \"$@\" > /dev/full", "sh", Binaries.purser] + words)
            #expect(result.status == 73)
            #expect(result.hints.first?.hasPrefix("print the CSR with: ") == true)
        }
        let examination = try await HomeExamination(stage.home)
        #expect(examination.faults == [])
        #expect(
            examination.credentials.filter { $0.csr != nil && $0.certificate == nil }.count == 3)
    }

    // MARK: The disk

    /// Fills the disk but for so many pages of 4096 bytes.
    private func leave(pages: Int) throws {
        let ballast = disk.fill()
        let length = lseekEnd(of: ballast) - pages * 4_096
        guard truncate(ballast, max(length, 0)) == 0 else { throw Failure("cannot truncate") }
    }

    private func lseekEnd(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    private func makeRoom() throws {
        guard unlink(disk.file("ballast")) == 0 else { throw Failure("no ballast") }
    }

    /// What needs no room works without any.
    private func reads(_ stage: Stage) async throws {
        for command in [["certificate", "list"], ["check"]] {
            let result = try await stage.home.run(command)
            // An identity that is not in use yet is a finding; a failure of the check itself is 3.
            let expected: ClosedRange<Int32> = command == ["check"] ? 0...1 : 0...0
            #expect(expected.contains(result.status), "\(command) \(result.errorText)")
        }
    }
}
