import TestSupport
import Testing

/// `backup`, `restore` and `rebuild`, killed at each of their changes to the file system.
@Suite(.enabled(if: CrashPoint.isPossible, CrashPoint.reason))
struct CustodyCrashTests {
    @Test func `a backup that died leaves the home sound, and no file or a whole one`() async throws
    {
        for crash in [CrashPoint(), CrashPoint(hidesUnnamedFiles: true)] {
            let stage = try await Stage()
            let file = stage.home.folder.file("out")
            try await killEach(crash) { environment in
                try await stage.restore()
                return try await stage.home.run(["backup", file], environment: environment)
            } after: { place in
                if !stage.home.folder.read("out").isEmpty {
                    let other = try await restored(file, by: stage)
                    #expect(try await HomeExamination(other).faults == [], place)
                    try await tool("rm", [file])
                }
                try await stage.home.must("backup", file)
                #expect(try await HomeExamination(stage.home).faults == [], place)
            }
        }
    }

    @Test func `a restore that died goes on, and no command takes the half for a home`()
        async throws
    {
        let stage = try await Stage()
        let file = stage.home.folder.file("out")
        try await stage.home.must("backup", file)
        let wanted = try await stage.home.json("certificate", "list")
        let other = try await TestHome(founded: false)
        try await tool("cp", [stage.home.keyFile, other.keyFile])
        let (secret, out) = (stage.home.folder.file("secret"), other.folder.file("export"))
        try await killEach(CrashPoint()) { environment in
            try await tool("rm", ["-rf", other.path])
            return try await other.run(["restore", file], environment: environment)
        } after: { place in
            let list = try await other.run("certificate", "list", "--json")
            let isWhole = list.status == 0
            if isWhole {
                #expect(try JSON(list.output) == wanted, place)
            } else {
                #expect([66, 78].contains(list.status), "\(place): \(list.text)")
                let founding = try await other.run("init")
                // Before anything was unpacked there is only an empty folder.
                if founding.status == 0 { try await tool("rm", ["-rf", other.path]) }
                try await other.must("restore", file)
            }
            // As every command with the key does, it settles what is left.
            try await other.must(
                "certificate", "export", stage.active, "--password-file", secret, "--out", out)
            try await tool("rm", [out])
            #expect(try await HomeExamination(other).faults == [], place)
            #expect(try await other.json("certificate", "list") == wanted, place)
            let left = try await Tree.matches(other.path, "-name", ".rest*")
            #expect(left == [], place)
        }
    }

    @Test func `a rebuild that died is the same rebuild`() async throws {
        let stage = try await Stage()
        let all = try await stage.home.json("certificate", "list").elements
        // A provider's has no file here.
        let wanted = all.filter { $0["custody"].text == "local" }.map { $0["id"] }
        try await killEach(CrashPoint()) { environment in
            try await stage.restore()
            try await tool("sh", ["-c", "rm \"$1\"/purser.db*", "sh", stage.home.path])
            return try await stage.home.run(["rebuild"], environment: environment)
        } after: { place in
            let again = try await stage.home.run("rebuild")
            #expect([0, 73].contains(again.status), "\(place): \(again.errorText)")
            try await stage.home.must(
                "certificate", "request", Stage.merchant, "payment-processing")
            #expect(try await HomeExamination(stage.home).faults == [], place)
            let found = try await stage.home.json("certificate", "list").elements.map { $0["id"] }
            #expect(wanted.allSatisfy(found.contains), place)
        }
    }

    /// Runs `command` with a crash some calls later each time, until it comes through: at every call
    /// in the long form, at every fifth, from anywhere on, in the short one.
    private func killEach(
        _ crash: CrashPoint,
        _ command: ([String: String]) async throws -> ForeignProcess.Result,
        after examine: (Comment) async throws -> Void
    ) async throws {
        var chance = Chance()
        let step = Binaries.soak > 1 ? 1 : 5
        var number = Int.random(in: 1...step, using: &chance)
        while true {
            let result = try await command(try crash.dying(at: number))
            guard result.status == CrashPoint.killed else {
                #expect(result.status == 0, "\(result.errorText)")
                break
            }
            try await examine("killed at its call \(number), \(chance.comment)")
            number += step
        }
        #expect(number > 10)
    }

    private func restored(_ file: String, by stage: Stage) async throws -> TestHome {
        let other = try await TestHome(founded: false)
        try await tool("cp", [stage.home.keyFile, other.keyFile])
        try await other.must("restore", file)
        return other
    }
}
