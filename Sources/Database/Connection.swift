internal import CSQLite
internal import Glibc

/// One connection to one file: owns the `sqlite3 *` and the statements kept for reuse.
///
/// Opened without SQLite's own mutexes: it is used by one thread at a time, which the actor
/// ``DatabaseFile`` sees to. Not `Sendable`.
@safe final class Connection {
    let path: String
    private let handle: OpaquePointer
    /// Statements that nobody is running, by their text.
    private var idle: [String: Statement] = [:]
    /// SQLite's count of changes to the schema, when the schema was last found to be ours.
    var examinedSchema: Int64?
    /// What is open as the database; nil until it is known, and where one file is all there is.
    var files: OpenFiles?

    /// More distinct statements than the program has.
    private static let mostIdle = 128

    /// How SQLite opens the file.
    enum Access {
        case readWrite
        case readOnly
        /// Read without locks and without a write-ahead log, on the promise that nobody writes.
        case immutable
    }

    /// Opens the file, which exists.
    ///
    /// SQLite gives a handle even when it fails, and it must be closed: so the opening is a
    /// function, and the initialiser only takes what succeeded.
    static func open(path: String, _ access: Access) throws(DatabaseError) -> Connection {
        let sharing = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_URI
        let direction = access == .readWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
        var opened: OpaquePointer?
        let status = unsafe sqlite3_open_v2(
            uri(path, access), &opened, direction | sharing, nil)
        guard let handle = unsafe opened else { throw .outOfMemory }
        guard status == SQLITE_OK else {
            let failure = unsafe SQLiteFailure(status, on: handle)
            unsafe sqlite3_close_v2(handle)
            throw failure.explained(path: path)
        }
        let connection = unsafe Connection(takingOwnershipOf: handle, path: path)
        guard connection.keepLogAtClose(true) else {
            throw .settingRefused(path: path, setting: "log")
        }
        return connection
    }

    /// An empty database in memory, to see what statements make of it.
    static func inMemory() throws(DatabaseError) -> Connection {
        let name = ":memory:"
        var opened: OpaquePointer?
        let status = unsafe sqlite3_open_v2(
            name, &opened,
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX
                | SQLITE_OPEN_EXRESCODE, nil)
        guard let handle = unsafe opened else { throw .outOfMemory }
        guard status == SQLITE_OK else {
            let failure = unsafe SQLiteFailure(status, on: handle)
            unsafe sqlite3_close_v2(handle)
            throw failure.explained(path: name)
        }
        return unsafe Connection(takingOwnershipOf: handle, path: name)
    }

    private init(takingOwnershipOf handle: OpaquePointer, path: String) {
        self.path = path
        unsafe self.handle = handle
    }

    deinit {
        // _v2 also closes with statements alive, and waits for them.
        idle.removeAll()
        // The last connection moves its log into the file and deletes the name: only if it is ours.
        if let files, files.areInPlace { keepLogAtClose(false) }
        unsafe sqlite3_close_v2(handle)
    }

    /// The path as an URI, always: Debian's SQLite would otherwise take a path that begins with
    /// `file:` for one, and an empty one for a temporary database.
    private static func uri(_ path: String, _ access: Access) -> String {
        var text = path.hasPrefix("/") ? "file://" : "file:./"
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
                UInt8(ascii: "-"), UInt8(ascii: "_"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16)
                text += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return access == .immutable ? text + "?immutable=1" : text
    }

    // MARK: - Statements

    /// Takes out the statement `sql`, bound to `values`; give it back with ``keep(_:_:)``.
    ///
    /// One that failed is not given back, and goes. One that is running (a query inside the loop
    /// over the same query) is not taken twice: a second one is prepared.
    func statement(_ sql: String, _ values: [Value]) throws(DatabaseError) -> Statement {
        let statement =
            if let kept = idle.removeValue(forKey: sql) {
                kept
            } else {
                try unsafe Statement(sql, on: handle, path: path)
            }
        try statement.bind(values)
        return statement
    }

    /// Keeps `statement` for the next time.
    func keep(_ statement: Statement, _ sql: String) {
        statement.reset()
        if idle.count < Self.mostIdle { idle[sql] = statement }
    }

    /// Runs a statement to its end, ignoring rows.
    func run(_ sql: String, _ values: [Value] = []) throws(DatabaseError) {
        let statement = try statement(sql, values)
        while try statement.step() {}
        keep(statement, sql)
    }

    /// The only row of a query, mapped; a query of ours without a row is a fault.
    func one<Result>(
        _ sql: String, _ map: (borrowing Row) throws(DatabaseError) -> Result
    ) throws(DatabaseError) -> Result {
        let statement = try statement(sql, [])
        guard try statement.step() else { throw .badStatement("it answers no row") }
        let result = try map(Row(statement))
        keep(statement, sql)
        return result
    }

    /// Runs several statements that are separated by semicolons: a migration.
    func runScript(_ script: String) throws(DatabaseError) {
        let status = unsafe sqlite3_exec(handle, script, nil, nil, nil)
        guard status == SQLITE_OK else {
            throw unsafe SQLiteFailure(status, on: handle).explained(path: path)
        }
    }
}

// MARK: - State

extension Connection {
    /// Whether a transaction is open; SQLite ends one by itself after some errors.
    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// Rows changed by the last statement.
    var changes: Int { unsafe Int(sqlite3_changes64(handle)) }

    /// Whether SQLite fell back to reading because the file cannot be written.
    var isReadOnly: Bool { unsafe sqlite3_db_readonly(handle, "main") == 1 }

    /// Sets a flag of sqlite3_db_config and reads it back.
    func set(_ option: Int32, _ on: Bool, name: String) throws(DatabaseError) {
        var now: Int32 = -1
        let status = unsafe purser_sqlite_set_flag(handle, option, on ? 1 : 0, &now)
        guard status == SQLITE_OK, now == (on ? 1 : 0) else {
            throw .settingRefused(path: path, setting: name)
        }
    }

    /// Whether the last connection leaves the log as it is, for the next one to find.
    @discardableResult
    private func keepLogAtClose(_ on: Bool) -> Bool {
        var now: Int32 = -1
        let option = Int32(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE)
        return unsafe purser_sqlite_set_flag(handle, option, on ? 1 : 0, &now) == SQLITE_OK
            && now == (on ? 1 : 0)
    }

    /// The largest text, blob or row, in bytes: far more than any of ours.
    static let largestValue: Int32 = 4 << 20

    /// Bounds what hostile contents can cost; no statement of ours comes near.
    func bound() {
        let bounds = [
            // One file is all that we ever read or write.
            (SQLITE_LIMIT_ATTACHED, 0), (SQLITE_LIMIT_LENGTH, Self.largestValue),
            (SQLITE_LIMIT_SQL_LENGTH, 1 << 18), (SQLITE_LIMIT_EXPR_DEPTH, 100),
            (SQLITE_LIMIT_COMPOUND_SELECT, 20), (SQLITE_LIMIT_COLUMN, 200),
            (SQLITE_LIMIT_TRIGGER_DEPTH, 10), (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000),
            (SQLITE_LIMIT_WORKER_THREADS, 0),
        ]
        for (limit, most) in bounds { unsafe sqlite3_limit(handle, limit, most) }
    }

    /// Copies the database, as one state of it, into an empty file.
    ///
    /// The copy is attached meanwhile, which is forbidden otherwise.
    func vacuum(into path: String) throws(DatabaseError) {
        unsafe sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 1)
        defer { unsafe sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0) }
        try run("VACUUM INTO ?", [.text(path)])
    }

    /// Sets how long SQLite itself waits for a lock.
    func setBusyTimeout(milliseconds: Int32) {
        unsafe sqlite3_busy_timeout(handle, milliseconds)
    }
}

// MARK: - Waiting

/// Repeats `body` while it fails with a lock, until `deadline`.
///
/// SQLite's busy timeout does not cover every lock: it gives up at once where two waiters could
/// block each other, and while the log is recovered after a crash.
func waitingForLocks<Result>(
    until deadline: ContinuousClock.Instant, _ body: () throws(DatabaseError) -> Result
) throws(DatabaseError) -> Result {
    while true {
        do throws(DatabaseError) {
            return try body()
        } catch {
            guard case .locked = error, ContinuousClock.now < deadline else { throw error }
            usleep(5_000)
        }
    }
}

extension SQLiteFailure {
    /// Takes down what `database` says about the call that has just answered `status`.
    init(_ status: Int32, on database: OpaquePointer) {
        code = status
        systemError = unsafe sqlite3_system_errno(database)
        message = unsafe String(cString: sqlite3_errmsg(database))
    }
}

@available(*, unavailable)
extension Connection: Sendable {}
