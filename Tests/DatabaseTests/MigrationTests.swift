import Database
import TestSupport
import Testing

@Suite struct MigrationTests {
    let sample = SampleDatabase()
    static let two = Migrations([
        "CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT UNIQUE, bytes BLOB) STRICT",
        """
        ALTER TABLE things ADD COLUMN size INTEGER;
        CREATE INDEX things_by_size ON things (size);
        """,
    ])

    @Test func `an older database is brought up to date and keeps its records`() async throws {
        let old = try await sample.open()
        try await old.write { try $0.execute("INSERT INTO things (name) VALUES ('kept')") }
        await old.close()
        let new = try await sample.open(.readWrite, migrations: Self.two)
        #expect(try await new.schemaVersion() == 2)
        #expect(try sample.sqlite3("SELECT name, size IS NULL FROM things") == "kept|1")
    }

    @Test func `a step that fails leaves the version before it`() async throws {
        try await sample.open().close()
        let broken = Migrations([
            "CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT UNIQUE, bytes BLOB) STRICT",
            "CREATE TABLE half (x INTEGER) STRICT; CREATE TABLE things (y INTEGER) STRICT",
        ])
        let refusal = await databaseError { _ = try await sample.open(migrations: broken) }
        #expect(refusal?.code == "database.bad-statement")
        #expect(try sample.sqlite3("PRAGMA user_version") == "1")
        #expect(try sample.sqlite3("SELECT count(*) FROM sqlite_schema WHERE name = 'half'") == "0")
    }

    @Test func `reading alone does not migrate`() async throws {
        try await sample.open().close()
        await #expect(
            throws: DatabaseError.olderVersion(path: sample.path, found: 1, known: 2)
        ) {
            _ = try await sample.open(.readOnly, migrations: Self.two)
        }
        #expect(try sample.sqlite3("PRAGMA user_version") == "1")
    }

    @Test func `an older program stops writing and reading once a newer one has migrated`()
        async throws
    {
        let old = try await sample.open()
        let new = try await sample.open(migrations: Self.two)
        let expected = DatabaseError.newerVersion(path: sample.path, found: 2, known: 1)
        await #expect(throws: expected) {
            try await old.write { try $0.execute("INSERT INTO things (name) VALUES ('late')") }
        }
        await #expect(throws: expected) { try await old.read { _ in } }
        #expect(try await old.schemaVersion() == 2)
        await new.close()
        #expect(try sample.sqlite3("SELECT count(*) FROM things") == "0")
    }

    @Test(arguments: 0..<5)
    func `many that start at once on an absent file all find it ready`(round: Int) async throws {
        let sample = SampleDatabase()
        try await withThrowingTaskGroup(of: Int64.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let database = try await sample.open(migrations: Self.two)
                    return try await database.schemaVersion()
                }
            }
            for try await version in group { #expect(version == 2) }
        }
        let listed = try ForeignProcess.run("ls", ["-A", sample.folder.path])
        #expect(!listed.text.contains(".new-"))
        #expect(try sample.sqlite3("PRAGMA integrity_check") == "ok")
    }
}
