import Database
import Glibc
import TestSupport

/// A database with one small table, and the ways in which the tests look at it from outside.
struct SampleDatabase {
    let folder = TemporaryFolder()

    var path: String { folder.file("purser.db") }

    static let migrations = Migrations([
        "CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT UNIQUE, bytes BLOB) STRICT"
    ])

    func open(
        _ mode: DatabaseFile.Mode = .readWriteCreate, migrations: Migrations = Self.migrations,
        busyTimeout: Duration = .seconds(10)
    ) async throws -> DatabaseFile {
        try await DatabaseFile.open(
            path: path, mode: mode, migrations: migrations, busyTimeout: busyTimeout)
    }

    /// What the `sqlite3` command answers, without the final line end.
    func sqlite3(_ sql: String) throws -> String {
        let done = try ForeignProcess.run("sqlite3", ["-batch", path, sql])
        return done.errorText + done.text.split(separator: "\n").joined(separator: "\n")
    }

    /// Another process that takes the write lock, adds a thing, and holds on for `seconds`.
    func holdLock(seconds: Double) async throws -> BackgroundProcess {
        let script = """
            import sqlite3, time
            c = sqlite3.connect('\(path)', isolation_level=None)
            c.execute('BEGIN IMMEDIATE')
            c.execute("INSERT INTO things (name) VALUES ('theirs')")
            print('locked', flush=True)
            time.sleep(\(seconds))
            c.execute('COMMIT')
            """
        let process = try BackgroundProcess("python3", ["-c", script], in: folder.path)
        _ = try await BackgroundProcess.wait(seconds: 20) { process.output == "locked\n" }
        return process
    }

    func mode(of name: String) -> UInt32? {
        var found = stat()
        return stat(folder.file(name), &found) == 0 ? found.st_mode & 0o7777 : nil
    }
}

/// The error that `body` throws, when it is one of the database's.
func databaseError<Result>(_ body: () async throws -> Result) async -> DatabaseError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? DatabaseError
    }
}
