import TestSupport
import Testing

/// Recovery keys, and reports on acts, where nobody can read them.
@Suite(.twoAtATime) struct RecoveryKeyTests {
    /// Runs `purser` in a shell, so that its output goes where `redirection` says.
    private func shell(
        _ home: TestHome, _ words: [String], _ redirection: String
    ) async throws -> ForeignProcess.Result {
        let words = ([Binaries.purser] + home.flags + words).joined(separator: " ")
        return try await ForeignProcess.runBeside(
            "bash", ["-o", "pipefail", "-c", "\(words) \(redirection)"],
            environment: TestHome.environment)
    }

    private func kinds(_ home: TestHome) async throws -> [String?] {
        try await home.json("unlocker", "list").elements.map { $0["kind"].text }
    }

    /// Where nobody reads: closed, a pipe without a reader, thrown away, full.
    private static let nowhere = [
        ">&-", "> >(exec <&-; sleep 1)", ">/dev/null", ">/dev/full",
    ]

    @Test(arguments: nowhere, [[], ["--json"]])
    func `no recovery key is in force that nobody has seen`(
        _ redirection: String, _ json: [String]
    ) async throws {
        let home = try await TestHome()
        // Time for the reader to go.
        let late = redirection.contains("exec") ? "sleep 0.3; " : ""
        let words = ([Binaries.purser] + home.flags + ["unlocker", "add", "--recovery-key"] + json)
            .joined(separator: " ")
        let refused = try await ForeignProcess.runBeside(
            "bash", ["-c", "{ \(late)\(words); } \(redirection)"],
            environment: TestHome.environment)
        #expect(refused.status == 73, "\(refused.errorText)")
        // The error of --json goes where its reader wants everything to go.
        if redirection != ">/dev/null" || json.isEmpty {
            #expect(
                refused.errorText.contains(
                    "the recovery key could not be shown, so it opens nothing"))
            #expect(refused.errorText.contains("purser unlocker add --recovery-key"))
        }
        #expect(try await kinds(home) == ["key-file"])
        // What is shown is in force.
        let shown = try await home.run("unlocker", "add", "--recovery-key")
        #expect(shown.text.contains("opens the home from now on"))
        #expect(try await kinds(home) == ["key-file", "recovery-key"])
    }

    @Test(arguments: nowhere.filter { !$0.contains("exec") }, [[], ["--json"]])
    func `nor does init leave one`(_ redirection: String, _ json: [String]) async throws {
        let home = try await TestHome(founded: false)
        let refused = try await shell(home, ["init", "--recovery-key"] + json, redirection)
        #expect(refused.status == 73, "\(refused.errorText)")
        if redirection != ">/dev/null" || json.isEmpty {
            #expect(refused.errorText.contains("the recovery key could not be shown"))
        }
        if redirection == ">/dev/full" && !json.isEmpty {
            // The one value comes last, so all else is done by then.
            #expect(try await kinds(home) == ["key-file"])
        } else {
            #expect(try FileCount.of(home.folder.path) == 0)
            let made = try await home.run("init", "--recovery-key")
            #expect(made.status == 0 && made.text.contains("opens the home too"))
            #expect(try await kinds(home) == ["key-file", "recovery-key"])
        }
    }

    @Test func `an act whose report cannot be written says that it is done`() async throws {
        let home = try await TestHome()
        let acts = [
            ["merchant", "add", "merchant.com.example.shop"], ["master-key", "rotate", "--json"],
            ["backup", home.folder.file("copy")],
        ]
        for act in acts {
            let result = try await shell(home, act, ">/dev/full")
            #expect(result.status == 73)
            #expect(result.errorText.contains("it is done, and only the report"), "\(act)")
            #expect(!result.errorText.contains("run the command again"))
        }
        let listed = try await shell(home, ["merchant", "list"], ">/dev/full")
        #expect(listed.status == 73 && listed.errorText.contains("then run the command again"))
        let audit = try await home.run("audit", "list")
        for act in ["merchant.added", "master-key.rotation-finished", "home.backed-up"] {
            #expect(audit.text.contains(act))
        }
    }
}

/// How many names a folder has.
private enum FileCount {
    static func of(_ path: String) throws -> Int {
        try ForeignProcess.run("ls", ["-A", path]).text.split(separator: "\n").count
    }
}
