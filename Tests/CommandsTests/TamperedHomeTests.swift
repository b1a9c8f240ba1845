import TestSupport
import Testing

@testable import Commands

/// A home into whose database somebody has put something, as commands see it.
@Suite struct TamperedHomeTests {
    private let folder = TemporaryFolder()

    private func home() async -> String {
        let home = folder.file("home")
        let made = await purser(
            "--home", home, "init", "--master-key-file", folder.file("master.key"))
        #expect(made.status == 0, "\(made.errors)")
        return home
    }

    @Test(arguments: [
        "CREATE TRIGGER spy AFTER INSERT ON merchants BEGIN UPDATE merchants SET team = 'X'; END",
        "CREATE VIEW spy AS SELECT * FROM merchants",
        "ALTER TABLE merchants RENAME TO hidden; CREATE VIEW merchants AS SELECT * FROM hidden",
        "PRAGMA user_version = -1",
    ])
    func `audit verify and every other command notice it, and say what to do`(
        sql: String
    ) async throws {
        let home = await home()
        #expect(await purser("--home", home, "audit", "verify").status == 0)
        let done = try ForeignProcess.run("sqlite3", ["-batch", "\(home)/purser.db", sql])
        #expect(done.status == 0)
        for verb in [["audit", "verify"], ["audit", "list"], ["merchant", "list"], ["check"]] {
            let result = await run(["--home", home] + verb)
            #expect(result.status == (verb == ["check"] ? 3 : 70))
            #expect(result.errors.contains("was tampered with"), "\(result.errors)")
            #expect(result.errors.contains("put the home back from a backup"))
        }
    }

    private func run(_ arguments: [String]) async -> Captured {
        let output = CapturingSink()
        let errors = CapturingSink()
        let context = capturingContext(arguments, output: output, errors: errors)
        let status = await CommandRunner(context: context, table: .standard).run()
        return Captured(status: status.code, output: output.bytes, errors: errors.text)
    }
}
