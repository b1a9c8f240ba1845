import Clocks
import Database
import Ledger
import TestSupport

/// A database that holds a ledger alone.
struct SampleLedger {
    let folder = TemporaryFolder()
    static let start = Timestamp(seconds: 1_780_000_000)

    var path: String { folder.file("purser.db") }

    func open() async throws -> DatabaseFile {
        try await DatabaseFile.open(
            path: path, mode: .readWriteCreate, migrations: Migrations([Ledger.schema]))
    }

    /// Opens it with `count` entries a minute apart, about two subjects in turn.
    func open(entries count: Int) async throws -> DatabaseFile {
        let database = try await open()
        try await database.write { transaction in
            for number in 0..<count { try Ledger.append(Self.entry(number), in: transaction) }
        }
        return database
    }

    static func entry(_ number: Int) -> LedgerEntry {
        LedgerEntry(
            at: start.adding(seconds: Int64(number) * 60),
            actor: .user(name: "alice", uid: 1000, login: 1000),
            act: number.isMultiple(of: 2) ? .merchantAdded : .domainAdded,
            subject: number.isMultiple(of: 2) ? "merchant.com.example.a" : "merchant.com.example.b",
            detail: ["number": "\(number)", "note": "naïve \"quoted\" / slash"])
    }

    /// Runs SQL by the `sqlite3` command, as somebody would who owns the file: without the triggers,
    /// which are put back afterwards word for word, because a changed schema is noticed first.
    func tamper(_ sql: String) throws -> ForeignProcess.Result {
        let triggers = try ForeignProcess.run(
            "sqlite3",
            ["-batch", path, "SELECT sql || ';' FROM sqlite_schema WHERE type = 'trigger'"])
        return try ForeignProcess.run(
            "sqlite3",
            [
                "-batch", path,
                """
                DROP TRIGGER ledger_is_not_changed;
                DROP TRIGGER ledger_is_not_shortened;
                DROP TRIGGER ledger_has_no_gaps;
                \(sql);
                \(triggers.text)
                """,
            ])
    }
}
