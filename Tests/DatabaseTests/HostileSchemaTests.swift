import Database
import TestSupport
import Testing

/// A database of ours into which somebody who can write it has put something.
@Suite(.timeLimit(.minutes(2))) struct HostileSchemaTests {
    let sample = SampleDatabase()

    private func refusal(_ mode: DatabaseFile.Mode = .readWrite) async -> DatabaseError? {
        await databaseError { try await sample.open(mode).close() }
    }

    @Test(arguments: DatabaseFile.Mode.allCases, [-1, -7, Int64(Int32.min), 0])
    func `a version that no migration gives is refused`(
        mode: DatabaseFile.Mode, version: Int64
    ) async throws {
        try await sample.open().close()
        _ = try sample.sqlite3("PRAGMA user_version = \(version)")
        let before = sample.folder.read("purser.db")
        #expect(
            await refusal(mode)
                == .schemaChanged(path: sample.path, what: "its version is \(version)"))
        #expect(sample.folder.read("purser.db") == before)
    }

    private static let endless = """
        AS WITH RECURSIVE n (user_version) AS (SELECT 1 UNION ALL SELECT 1 FROM n)
        SELECT max(user_version) AS user_version FROM n
        """

    static let planted: [(String, String)] = [
        (
            "CREATE TRIGGER spy AFTER INSERT ON things BEGIN DELETE FROM things; END",
            "trigger spy does not belong there"
        ),
        (
            "CREATE TRIGGER things AFTER INSERT ON things BEGIN DELETE FROM things; END",
            "trigger things is not as it was made"
        ),
        ("CREATE VIEW other AS SELECT 1", "view other does not belong there"),
        (
            "DROP TABLE things; CREATE VIEW things AS SELECT 1 AS id, 'x' AS name, NULL AS bytes",
            "view things is not as it was made"
        ),
        (
            "DROP TABLE things; CREATE TABLE things (id, name, bytes)",
            "table things is not as it was made"
        ),
        ("DROP TABLE things", "index sqlite_autoindex_things_1 is missing"),
        ("CREATE TABLE extra (x)", "table extra does not belong there"),
        ("CREATE INDEX more ON things (bytes)", "index more does not belong there"),
        (
            "CREATE TABLE pragma_user_version (user_version); "
                + "INSERT INTO pragma_user_version VALUES (-5)",
            "table pragma_user_version does not belong there"
        ),
        (
            "CREATE VIEW pragma_user_version \(endless)",
            "view pragma_user_version does not belong there"
        ),
        (
            "CREATE VIRTUAL TABLE words USING fts5(x)",
            "table words does not belong there"
        ),
        ("CREATE TABLE \"a\nb\u{7}\u{1B}[31m\" (x)", "table ab[31m does not belong there"),
        ("CREATE VIEW sqlite AS SELECT 1", "view sqlite does not belong there"),
        (
            "PRAGMA writable_schema = 1; INSERT INTO sqlite_schema VALUES "
                + "('view', 'sqlite_stat1', 'sqlite_stat1', 0, "
                + "'CREATE VIEW sqlite_stat1 AS SELECT 1 AS tbl, 2 AS idx, 3 AS stat')",
            "view sqlite_stat1 does not belong there"
        ),
        (
            "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql, 'UNIQUE', "
                + "'UNIQUE CHECK (name <> 3)') WHERE name = 'things'",
            "table things is not as it was made"
        ),
    ]

    @Test(arguments: planted, DatabaseFile.Mode.allCases)
    func `whatever was planted is told by name, and left alone`(
        planted: (sql: String, what: String), mode: DatabaseFile.Mode
    ) async throws {
        try await sample.open().close()
        #expect(try sample.sqlite3(planted.sql) == "")
        let before = sample.folder.read("purser.db")
        let found = await refusal(mode)
        guard case .schemaChanged(sample.path, let what)? = found else {
            Issue.record("\(String(describing: found))")
            return
        }
        // A virtual table brings tables of its own, and any of them will do.
        #expect(what == planted.what || planted.sql.contains("VIRTUAL"))
        #expect(found?.remedy.contains("backup") == true)
        #expect(sample.folder.read("purser.db") == before)
    }

    @Test(arguments: [
        "UPDATE sqlite_schema SET sql = 'CREATE TABLE things (' WHERE name = 'things'",
        "UPDATE sqlite_schema SET rootpage = 4000000 WHERE name = 'things'",
        "UPDATE sqlite_schema SET sql = NULL WHERE name = 'things'",
        "UPDATE sqlite_schema SET type = x'00', name = 7.5",
        "INSERT INTO sqlite_schema SELECT * FROM sqlite_schema",
    ])
    func `a schema that cannot be read is a clear error`(sql: String) async throws {
        try await sample.open().close()
        #expect(try sample.sqlite3("PRAGMA writable_schema = 1; \(sql)") == "")
        for mode in DatabaseFile.Mode.allCases {
            let code = await refusal(mode)?.code
            #expect(
                ["database.corrupt", "database.schema-changed", "database.wrong-column"]
                    .contains(code), "\(code ?? "opened")")
        }
    }

    @Test func `what is planted while the database is open is noticed by the next transaction`()
        async throws
    {
        let database = try await sample.open()
        try await database.write { try $0.execute("INSERT INTO things (name) VALUES ('a')") }
        _ = try sample.sqlite3(
            "CREATE TRIGGER spy AFTER INSERT ON things BEGIN DELETE FROM things; END")
        let expected = DatabaseError.schemaChanged(
            path: sample.path, what: "trigger spy does not belong there")
        await #expect(throws: expected) {
            try await database.write { try $0.execute("INSERT INTO things (name) VALUES ('b')") }
        }
        await #expect(throws: expected) {
            try await database.read { try $0.hasRow(of: "SELECT 1 FROM things") }
        }
        _ = try sample.sqlite3("DROP TRIGGER spy")
        try await database.write { try $0.execute("INSERT INTO things (name) VALUES ('c')") }
        #expect(try sample.sqlite3("SELECT name FROM things") == "a\nc")
    }

    @Test(arguments: ["ANALYZE", "VACUUM", "PRAGMA optimize", "REINDEX", "ANALYZE; VACUUM"])
    func `what an administrator may do for speed is no tampering`(sql: String) async throws {
        let database = try await sample.open()
        try await database.write { try $0.execute("INSERT INTO things (name) VALUES ('a')") }
        #expect(try sample.sqlite3(sql) == "")
        #expect(try await database.read { try $0.hasRow(of: "SELECT 1 FROM things") })
        for mode in DatabaseFile.Mode.allCases { #expect(await refusal(mode) == nil) }
    }

    @Test func `a database that was dumped and read in again is ours`() async throws {
        let database = try await sample.open()
        try await database.write { try $0.execute("INSERT INTO things (name) VALUES ('a')") }
        await database.close()
        let again = sample.folder.file("again.db")
        let dump = try ForeignProcess.run("sqlite3", ["-batch", sample.path, ".dump"])
        sample.folder.write("again.db", [])
        let pragmas = "PRAGMA application_id = 1349874291; PRAGMA user_version = 1;"
        _ = try ForeignProcess.run(
            "sqlite3", ["-batch", again], input: dump.output + Array(pragmas.utf8))
        let copy = try await DatabaseFile.open(
            path: again, mode: .readWrite, migrations: SampleDatabase.migrations)
        #expect(try await copy.read { try $0.hasRow(of: "SELECT 1 FROM things") })
    }

    @Test func `an older version is compared before it is migrated`() async throws {
        try await sample.open().close()
        _ = try sample.sqlite3("CREATE VIEW other AS SELECT 1")
        let found = await databaseError {
            try await sample.open(.readWrite, migrations: MigrationTests.two).close()
        }
        #expect(found?.code == "database.schema-changed")
        #expect(try sample.sqlite3("PRAGMA user_version") == "1")
        _ = try sample.sqlite3("DROP VIEW other")
        try await sample.open(.readWrite, migrations: MigrationTests.two).close()
        try await sample.open(.readOnly, migrations: MigrationTests.two).close()
    }
}
