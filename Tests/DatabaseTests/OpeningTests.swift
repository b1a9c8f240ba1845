import Database
import Glibc
import TestSupport
import Testing

@Suite struct OpeningTests {
    let sample = SampleDatabase()

    @Test func `a new database has our settings in its file and is sound`() async throws {
        let database = try await sample.open()
        #expect(try await database.schemaVersion() == 1)
        #expect(try await database.integrityCheck() == [])
        #expect(try sample.sqlite3("PRAGMA journal_mode") == "wal")
        #expect(try sample.sqlite3("PRAGMA application_id") == "1349874291")
        #expect(try sample.sqlite3("PRAGMA user_version") == "1")
        #expect(try sample.sqlite3("PRAGMA integrity_check") == "ok")
        #expect(try sample.sqlite3(".schema").contains("CREATE TABLE things"))
    }

    @Test func `its three files are for the owner alone whatever the umask`() async throws {
        let before = umask(0)
        defer { umask(before) }
        let database = try await sample.open()
        try await database.write { try $0.execute("INSERT INTO things (name) VALUES ('a')") }
        for name in ["purser.db", "purser.db-wal", "purser.db-shm"] {
            #expect(sample.mode(of: name) == 0o600, "\(name)")
        }
    }

    @Test func `no file is left beside it after closing`() async throws {
        let database = try await sample.open()
        await database.close()
        let listed = try ForeignProcess.run("ls", ["-A", sample.folder.path])
        #expect(listed.text == "purser.db\n")
        await #expect(throws: DatabaseError.closed) { try await database.changeCounter() }
    }

    @Test func `a reader leaves the database as it was`() async throws {
        try await sample.open().close()
        let before = sample.folder.read("purser.db")
        let reader = try await sample.open(.readOnly)
        #expect(try await reader.read { try $0.hasRow(of: "SELECT 1 FROM things") } == false)
        await reader.close()
        #expect(sample.folder.read("purser.db") == before)
        // SQLite lets a reader make the shared files and not remove them.
        for name in ["purser.db-wal", "purser.db-shm"] {
            #expect([nil, 0o600].contains(sample.mode(of: name)))
        }
    }

    @Test(arguments: [DatabaseFile.Mode.readWrite, .readOnly])
    func `a missing file is made only when asked for`(mode: DatabaseFile.Mode) async throws {
        await #expect(throws: DatabaseError.missing(path: sample.path)) {
            _ = try await sample.open(mode)
        }
        #expect(sample.mode(of: "purser.db") == nil)
    }

    @Test func `a path that SQLite would read as something else is a file`() async throws {
        let name = "file:a?mode=memory#%41 ü.db"
        let path = sample.folder.file(name)
        let database = try await DatabaseFile.open(
            path: path, mode: .readWriteCreate, migrations: SampleDatabase.migrations)
        try await database.write { try $0.execute("INSERT INTO things (name) VALUES ('a')") }
        await database.close()
        #expect(sample.mode(of: name) == 0o600)
    }

    @Test(arguments: DatabaseFile.Mode.allCases)
    func `a file that is no database is refused and left alone`(
        mode: DatabaseFile.Mode
    ) async throws {
        let junk = Array(String(repeating: "not a database\n", count: 400).utf8)
        sample.folder.write("purser.db", junk)
        await #expect(throws: DatabaseError.notADatabase(path: sample.path)) {
            _ = try await sample.open(mode)
        }
        #expect(sample.folder.read("purser.db") == junk)
    }

    @Test(arguments: DatabaseFile.Mode.allCases)
    func `another program's database is refused and left alone`(
        mode: DatabaseFile.Mode
    ) async throws {
        sample.folder.write("purser.db", [])
        _ = try sample.sqlite3("CREATE TABLE mine (x); INSERT INTO mine VALUES (1)")
        let before = sample.folder.read("purser.db")
        await #expect(throws: DatabaseError.notOurs(path: sample.path)) {
            _ = try await sample.open(mode)
        }
        #expect(sample.folder.read("purser.db") == before)
    }

    @Test(arguments: DatabaseFile.Mode.allCases)
    func `a database of a newer version is refused and left alone`(
        mode: DatabaseFile.Mode
    ) async throws {
        try await sample.open().close()
        _ = try sample.sqlite3("PRAGMA user_version = 7")
        let before = sample.folder.read("purser.db")
        await #expect(
            throws: DatabaseError.newerVersion(path: sample.path, found: 7, known: 1)
        ) {
            _ = try await sample.open(mode)
        }
        #expect(sample.folder.read("purser.db") == before)
    }

    @Test func `a newer version that still waits in the log is seen and stays there`() async throws
    {
        try await sample.open().close()
        // A killed writer leaves its log behind.
        let script = """
            import sqlite3, os, signal
            c = sqlite3.connect('\(sample.path)', isolation_level=None)
            c.execute('PRAGMA user_version = 7')
            os.kill(os.getpid(), signal.SIGKILL)
            """
        _ = try ForeignProcess.run("python3", ["-c", script])
        let before = sample.folder.read("purser.db")
        let log = sample.folder.read("purser.db-wal")
        #expect(!log.isEmpty)
        await #expect(
            throws: DatabaseError.newerVersion(path: sample.path, found: 7, known: 1)
        ) {
            _ = try await sample.open()
        }
        #expect(sample.folder.read("purser.db") == before)
        #expect(sample.folder.read("purser.db-wal") == log)
    }

    @Test func `a file that others can read is refused`() async throws {
        try await sample.open().close()
        chmod(sample.path, 0o644)
        await #expect(throws: DatabaseError.loosePermissions(path: sample.path, mode: 0o644)) {
            _ = try await sample.open()
        }
    }

    @Test func `a folder in the file's place is refused`() async throws {
        mkdir(sample.path, 0o700)
        let refusal = await databaseError { _ = try await sample.open() }
        #expect(refusal?.code == "database.cannot-open")
    }

    @Test func `a folder that does not exist is said to be missing`() async throws {
        let path = sample.folder.file("none/purser.db")
        let refusal = await databaseError {
            _ = try await DatabaseFile.open(
                path: path, mode: .readWriteCreate, migrations: SampleDatabase.migrations)
        }
        #expect(refusal?.code == "database.cannot-open")
    }

    @Test func `a damaged page is reported as corrupt`() async throws {
        let database = try await sample.open()
        try await database.write { transaction in
            for number in 0..<2000 {
                try transaction.execute(
                    "INSERT INTO things (name) VALUES (?)", [.text("thing \(number)")])
            }
        }
        await database.close()
        var bytes = sample.folder.read("purser.db")
        for index in 4096..<bytes.count { bytes[index] = 0xA5 }
        sample.folder.write("purser.db", bytes)

        let refusal = await databaseError {
            let damaged = try await sample.open()
            _ = try await damaged.read { try $0.rows(of: "SELECT name FROM things") { _ in 1 } }
        }
        #expect(refusal?.code == "database.corrupt")
    }
}
