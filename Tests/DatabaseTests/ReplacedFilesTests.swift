import Database
import Glibc
import TestSupport
import Testing

/// A database whose files somebody removes or replaces while they are open.
@Suite(.timeLimit(.minutes(2))) struct ReplacedFilesTests {
    let sample = SampleDatabase()

    private func add(_ name: String, to file: DatabaseFile) async throws {
        _ = try await file.write {
            try $0.execute("INSERT INTO things (name) VALUES (?)", [.text(name)])
        }
    }

    /// What a command in a process of its own sees: no connection of this process is in it.
    private func names() throws -> String {
        try sample.sqlite3("SELECT group_concat(name) FROM things")
    }

    /// A program that writes by the names that are there now, and ends.
    private func addElsewhere(_ name: String) throws {
        #expect(try sample.sqlite3("INSERT INTO things (name) VALUES ('\(name)')") == "")
    }

    @Test(arguments: [["-wal", "-shm"], ["-wal"], ["-shm"], [""]])
    func `nothing is read or written by files that have lost their name`(
        suffixes: [String]
    ) async throws {
        let file = try await sample.open()
        try await add("first", to: file)
        for suffix in suffixes {
            #expect(rename(sample.path + suffix, sample.path + suffix + ".kept") == 0)
        }
        let expected = DatabaseError.filesReplaced(path: sample.path)
        #expect(await databaseError { try await add("second", to: file) } == expected)
        #expect(await databaseError { try await file.changeCounter() } == expected)
        #expect(await databaseError { try await file.refuseReplaced() } == expected)
        #expect(
            await databaseError {
                try await file.read { try $0.hasRow(of: "SELECT 1 FROM things") }
            } == expected)
        for suffix in suffixes {
            #expect(rename(sample.path + suffix + ".kept", sample.path + suffix) == 0)
        }
        try await add("third", to: file)
        await file.close()
        #expect(try names() == "first,third")
    }

    @Test func `a writer whose log is taken away in the middle does not report success`()
        async throws
    {
        let file = try await sample.open()
        let log = sample.path + "-wal"
        let error = await databaseError {
            try await file.write {
                try $0.execute("INSERT INTO things (name) VALUES ('lost')")
                unlink(log)
            }
        }
        #expect(error == .filesReplaced(path: sample.path))
    }

    @Test(arguments: [DatabaseFile.Mode.readWrite, .readOnly])
    func `the end of who has lost the log leaves the log of the others`(
        mode: DatabaseFile.Mode
    ) async throws {
        try await sample.open().close()
        let file = try await sample.open(mode)
        _ = try await file.read { try $0.hasRow(of: "SELECT 1 FROM things") }
        for suffix in ["-wal", "-shm"] { unlink(sample.path + suffix) }
        try addElsewhere("theirs")
        await file.close()
        #expect(try names() == "theirs")
    }

    /// The rest of the world goes on with the index, and the log begins anew.
    @Test func `a log that is not the one of its index takes no commit`() async throws {
        let script = """
            import sqlite3, time
            c = sqlite3.connect('\(sample.path)', isolation_level=None)
            c.execute("INSERT INTO things (name) VALUES ('theirs')")
            print('open', flush=True)
            time.sleep(60)
            """
        try await sample.open().close()
        let other = try BackgroundProcess("python3", ["-c", script], in: sample.folder.path)
        _ = try await BackgroundProcess.wait(seconds: 20) { other.output == "open\n" }
        unlink(sample.path + "-wal")
        #expect(await databaseError { try await sample.open(.readWrite) } != nil)
        #expect(await databaseError { try await sample.open(.readOnly) } != nil)
        other.signal(SIGKILL)
        _ = try await other.wait(seconds: 20)
    }

    @Test func `a second connection does not share an index that is gone`() async throws {
        let file = try await sample.open()
        try await add("first", to: file)
        for suffix in ["-wal", "-shm"] { unlink(sample.path + suffix) }
        // SQLite notices by itself where the index tells of more than the new log holds.
        #expect(await databaseError { try await sample.open(.readWrite) } != nil)
        await file.close()
    }

    @Test func `the last connection leaves one file, as before`() async throws {
        let first = try await sample.open()
        let second = try await sample.open()
        try await add("first", to: first)
        await first.close()
        #expect(sample.mode(of: "purser.db-wal") != nil)
        await second.close()
        #expect(sample.mode(of: "purser.db-wal") == nil)
        #expect(sample.mode(of: "purser.db-shm") == nil)
        #expect(try names() == "first")
    }

    @Test func `a value that is larger than any of ours is refused and not read`() async throws {
        let file = try await sample.open()
        try await add("first", to: file)
        _ = try sample.sqlite3("UPDATE things SET bytes = zeroblob(8000000)")
        let expected = DatabaseError.valueTooLarge(path: sample.path)
        #expect(
            await databaseError {
                try await file.read { transaction in
                    try transaction.rows(of: "SELECT * FROM things") { try $0.blob("bytes") }
                }
            } == expected)
        let large = [UInt8](repeating: 1, count: 5_000_000)
        #expect(
            await databaseError {
                try await file.write {
                    try $0.execute("INSERT INTO things (bytes) VALUES (?)", [.blob(large)])
                }
            } == expected)
    }
}
