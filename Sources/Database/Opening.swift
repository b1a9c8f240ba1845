internal import CSQLite

/// How a connection comes to be trusted: the checks and settings between opening and first use.
struct Opening {
    let path: String
    let migrations: Migrations
    let busyTimeout: Duration
    /// For reading alone: a trigger that is missing or was planted is put up with.
    var ignoresTriggers = false

    private var deadline: ContinuousClock.Instant { ContinuousClock.now + busyTimeout }

    /// Opens for writing, making the file where `creating`, and brings the schema up to date.
    ///
    /// Nothing is written before the file is known to be ours and of a version that we know.
    func forWriting(creating: Bool) throws(DatabaseError) -> Connection {
        if creating, try !DatabaseFiles.exists(path) { try DatabaseFiles.make(at: path) }
        try DatabaseFiles.check(path)
        if let refusal = DatabaseFiles.whyNotWritable(path) { throw refusal }
        let connection = try Connection.open(path: path, .readWrite)
        // SQLite reads what it cannot write, without a word.
        guard !connection.isReadOnly else { throw .readOnly(path: path) }
        try restrict(connection)
        let header = try examine(connection, mayBeBlank: creating)
        try makeDurable(connection)
        // Until here closing leaves the log alone, so that a refused file stays as it was.
        // A blank one has no log yet where the disk is full, whatever SQLite says of its mode.
        if !header.isBlank { try remember(connection) }
        try migrations.apply(to: connection, until: deadline)
        if header.isBlank { try remember(connection) }
        try connection.files?.refuseReplaced()
        return connection
    }

    /// Opens for reading only.
    ///
    /// A database with a write-ahead log is shared through two files beside it, which even a
    /// reader makes. Where that cannot be done, because the folder cannot be written or its disk is
    /// full, and only without a log, the file is read as it stands, and each read checks that it
    /// stood still.
    ///
    /// - Returns: the connection, and the file's version when it is read without locks.
    func forReading() throws(DatabaseError) -> (Connection, DatabaseFiles.Version?) {
        try DatabaseFiles.check(path)
        do throws(DatabaseError) {
            let connection = try reading(.readOnly)
            if try journalMode(connection, "PRAGMA journal_mode") == "wal" {
                try remember(connection)
            }
            return (connection, nil)
        } catch .cannotOpen, .notAllowed, .readOnly, .diskFull {
            let version = try DatabaseFiles.version(path)
            guard try !DatabaseFiles.hasLog(path) else { throw .logUnreadable(path: path) }
            return (try reading(.immutable), version)
        }
    }

    private func reading(_ access: Connection.Access) throws(DatabaseError) -> Connection {
        let connection = try Connection.open(path: path, access)
        try restrict(connection)
        let header = try examine(connection, mayBeBlank: false)
        guard header.version == migrations.latest else {
            throw .olderVersion(path: path, found: header.version, known: migrations.latest)
        }
        return connection
    }

    /// Reads the header and the schema, both of one moment, and refuses what is not ours.
    private func examine(
        _ connection: Connection, mayBeBlank: Bool
    ) throws(DatabaseError) -> Header {
        try connection.begin("BEGIN", until: deadline)
        defer { connection.rollBack() }
        return try waitingForLocks(until: deadline) { () throws(DatabaseError) in
            let header = try connection.header()
            if !(mayBeBlank && header.isBlank) { try header.refuseForeign(path: path) }
            try header.refuseNewer(than: migrations.latest, path: path)
            try refuseChangedSchema(connection, version: header.version)
            return header
        }
    }

    /// Refuses a schema that is not the one of `version`, in the transaction that is open.
    ///
    /// SQLite counts changes to the schema; while the count stands, nothing is compared again.
    func refuseChangedSchema(
        _ connection: Connection, version: Int64
    ) throws(DatabaseError) {
        let counter = try connection.one("PRAGMA schema_version") { row throws(DatabaseError) in
            try row.integer("schema_version")
        }
        guard counter != connection.examinedSchema else { return }
        let expected = try migrations.schema(ofVersion: version)
        let found = try connection.schema()
        let difference =
            ignoresTriggers
            ? found.withoutTriggers.difference(from: expected.withoutTriggers)
            : found.difference(from: expected)
        if let what = difference {
            throw .schemaChanged(path: path, what: what)
        }
        connection.examinedSchema = counter
    }

    /// Settings of the connection alone, which touch no file: what a hostile database could use.
    private func restrict(_ connection: Connection) throws(DatabaseError) {
        let milliseconds = Int32(min(busyTimeout / .milliseconds(1), 1e9))
        connection.setBusyTimeout(milliseconds: milliseconds)
        connection.bound()
        try connection.set(SQLITE_DBCONFIG_DEFENSIVE, true, name: "defensive")
        try connection.set(SQLITE_DBCONFIG_TRUSTED_SCHEMA, false, name: "trusted_schema=off")
        // We have none; one that was planted would run in a table's place.
        try connection.set(SQLITE_DBCONFIG_ENABLE_VIEW, false, name: "enable_view=off")
        try connection.set(SQLITE_DBCONFIG_ENABLE_FKEY, true, name: "foreign_keys=on")
        try connection.set(SQLITE_DBCONFIG_DQS_DML, false, name: "dqs_dml=off")
        try connection.set(SQLITE_DBCONFIG_DQS_DDL, false, name: "dqs_ddl=off")
        // 2 is MEMORY: nothing is spilled into a folder for temporary files.
        try connection.run("PRAGMA temp_store = 2")
        try connection.run("PRAGMA cell_size_check = 1")
        // Up to 16 MiB of pages in memory, of 2: lists of thousands read each page once.
        try connection.run("PRAGMA cache_size = -16384")
        try readBack(
            [
                ("foreign_keys", 1), ("trusted_schema", 0), ("temp_store", 2),
                ("cell_size_check", 1), ("busy_timeout", Int64(milliseconds)),
            ], on: connection)
    }

    /// The settings that make a commit survive a power cut.
    private func makeDurable(_ connection: Connection) throws(DatabaseError) {
        guard try journalMode(connection, "PRAGMA journal_mode = wal") == "wal" else {
            throw .settingRefused(path: path, setting: "journal_mode=wal")
        }
        // 2 is FULL: the log is synced at each commit.
        try connection.run("PRAGMA synchronous = 2")
        try readBack([("synchronous", 2)], on: connection)
    }

    private func journalMode(
        _ connection: Connection, _ pragma: String
    ) throws(DatabaseError) -> String {
        try waitingForLocks(until: deadline) { () throws(DatabaseError) in
            try connection.one(pragma) { row throws(DatabaseError) in
                try row.text("journal_mode")
            }
        }
    }

    /// Takes down which files are open: SQLite opens the log with the first read.
    private func remember(_ connection: Connection) throws(DatabaseError) {
        try connection.begin("BEGIN", until: deadline)
        defer { connection.rollBack() }
        try waitingForLocks(until: deadline) { () throws(DatabaseError) in
            _ = try connection.version()
        }
        connection.files = try OpenFiles(justOpenedAt: path)
    }

    private func readBack(
        _ settings: [(String, Int64)], on connection: Connection
    ) throws(DatabaseError) {
        for (name, wanted) in settings {
            let column = name == "busy_timeout" ? "timeout" : name
            let found = try connection.one("PRAGMA \(name)") { row throws(DatabaseError) in
                try row.integer(column)
            }
            guard found == wanted else {
                throw .settingRefused(path: path, setting: "\(name)=\(wanted)")
            }
        }
    }
}
