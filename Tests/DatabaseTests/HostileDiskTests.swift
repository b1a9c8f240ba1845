import Database
import Glibc
import TestSupport
import Testing

@Suite(.enabled(if: TinyDisk.isPossible, "mounting a file system needs a privileged root"))
struct HostileDiskTests {
    private func open(
        _ disk: TinyDisk, _ mode: DatabaseFile.Mode = .readWriteCreate
    ) async throws -> DatabaseFile {
        try await DatabaseFile.open(
            path: disk.file("purser.db"), mode: mode, migrations: SampleDatabase.migrations)
    }

    @Test func `a full disk is told, keeps what was committed, and heals`() async throws {
        let disk = try TinyDisk(kilobytes: 512)
        let path = disk.file("purser.db")
        let database = try await open(disk)
        try await database.write { try $0.execute("INSERT INTO things (name) VALUES ('kept')") }
        let ballast = disk.fill()

        let bytes = [UInt8](repeating: 7, count: 200_000)
        await #expect(throws: DatabaseError.diskFull(path: path)) {
            try await database.write { transaction in
                try transaction.execute("INSERT INTO things (bytes) VALUES (?)", [.blob(bytes)])
            }
        }
        #expect(try await database.read { try $0.hasRow(of: "SELECT 1 FROM things") })

        unlink(ballast)
        try await database.write { try $0.execute("INSERT INTO things (name) VALUES ('later')") }
        #expect(try await database.integrityCheck() == [])
        let names = try ForeignProcess.run("sqlite3", [path, "SELECT name FROM things"])
        #expect(names.text == "kept\nlater\n")
    }

    @Test func `an error that was swallowed cannot lead out of the transaction`() async throws {
        let disk = try TinyDisk(kilobytes: 512)
        let database = try await open(disk)
        let ballast = disk.fill()
        let bytes = [UInt8](repeating: 7, count: 200_000)
        let outcome = await databaseError {
            try await database.write { transaction in
                // More than the page cache may keep, so that the log is written early.
                for _ in 0..<40 {
                    _ = try? transaction.execute(
                        "INSERT INTO things (bytes) VALUES (?)", [.blob(bytes)])
                }
                unlink(ballast)
                try transaction.execute("INSERT INTO things (name) VALUES ('stray')")
            }
        }
        let path = disk.file("purser.db")
        #expect([.transactionLost, .diskFull(path: path)].contains(outcome))
        let count = try ForeignProcess.run("sqlite3", [path, "SELECT count(*) FROM things"])
        #expect(count.text == "0\n")
    }

    @Test func `no new database fits on a full disk`() async throws {
        let disk = try TinyDisk(kilobytes: 64)
        disk.fill()
        await #expect(throws: DatabaseError.diskFull(path: disk.file("purser.db"))) {
            _ = try await open(disk)
        }
    }

    @Test func `on a read-only disk it is read, and writing is refused`() async throws {
        let disk = try TinyDisk(kilobytes: 512)
        let path = disk.file("purser.db")
        let database = try await open(disk)
        try await database.write { try $0.execute("INSERT INTO things (name) VALUES ('kept')") }
        await database.close()
        try disk.makeReadOnly()

        await #expect(throws: DatabaseError.readOnly(path: path)) {
            _ = try await open(disk, .readWrite)
        }
        let reader = try await open(disk, .readOnly)
        let name = try await reader.read { transaction in
            try transaction.firstRow(of: "SELECT name FROM things") { try $0.text("name") }
        }
        #expect(name == "kept")
    }

    @Test func `what is read without locks is not trusted once somebody has written`()
        async throws
    {
        let disk = try TinyDisk(kilobytes: 512)
        let path = disk.file("purser.db")
        try await open(disk).close()
        try disk.makeReadOnly()
        let reader = try await open(disk, .readOnly)
        #expect(try await reader.read { try $0.hasRow(of: "SELECT 1 FROM things") } == false)

        try disk.makeReadOnly(false)
        _ = try ForeignProcess.run("sqlite3", [path, "INSERT INTO things (name) VALUES ('new')"])
        await #expect(throws: DatabaseError.changedWhileReading(path: path)) {
            try await reader.read { try $0.hasRow(of: "SELECT 1 FROM things") }
        }
    }

    @Test func `a log that cannot be read is not passed over`() async throws {
        let disk = try TinyDisk(kilobytes: 512)
        let path = disk.file("purser.db")
        let database = try await open(disk)
        try await database.write { try $0.execute("INSERT INTO things (name) VALUES ('in log')") }
        let copied = try ForeignProcess.run("cp", [path + "-wal", path + "-kept"])
        #expect(copied.status == 0)
        await database.close()
        rename(path + "-kept", path + "-wal")
        try disk.makeReadOnly()
        await #expect(throws: DatabaseError.logUnreadable(path: path)) {
            _ = try await open(disk, .readOnly)
        }
    }
}
