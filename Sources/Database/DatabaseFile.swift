internal import Locks

/// An SQLite database on a thread of its own; several, in one or many processes, may share a file.
///
/// SQLite blocks, so this actor never runs on the cooperative pool. Write-ahead log,
/// `synchronous=FULL` and enforced foreign keys are read back at opening. The files are 0600.
package actor DatabaseFile {
    /// Where the file is.
    package nonisolated let path: String
    private nonisolated let executor: ThreadExecutor
    private nonisolated let opening: Opening
    private nonisolated let mode: Mode

    private var connection: Connection?
    /// Set while the file is read without locks.
    private var unlockedVersion: DatabaseFiles.Version?
    private var ownCommits: Int64 = 0

    /// What the file is opened for.
    package enum Mode: Sendable, Hashable, CaseIterable {
        /// Reading and writing; a missing file is made.
        case readWriteCreate
        /// Reading and writing; a missing file is an error.
        case readWrite
        /// Reading, also where the folder cannot be written.
        case readOnly
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// Opens the database at `path` and, when writing, applies what is missing of `migrations`.
    ///
    /// `busyTimeout` is how long any later call waits for a lock of somebody else.
    ///
    /// - Throws: ``DatabaseError``. A file that is foreign, damaged or of a newer version is
    ///   refused before anything is written to it.
    package static func open(
        path: String, mode: Mode, migrations: Migrations, busyTimeout: Duration = .seconds(10)
    ) async throws -> DatabaseFile {
        let file = DatabaseFile(
            Opening(path: path, migrations: migrations, busyTimeout: busyTimeout), mode: mode)
        try await file.connect()
        return file
    }

    /// Opens for reading a database whose triggers somebody may have changed, to find out what else
    /// was done to it; nothing but its triggers may be other than they were made.
    ///
    /// - Throws: ``DatabaseError``.
    package static func openForInquest(
        path: String, migrations: Migrations, busyTimeout: Duration = .seconds(10)
    ) async throws -> DatabaseFile {
        let file = DatabaseFile(
            Opening(
                path: path, migrations: migrations, busyTimeout: busyTimeout, ignoresTriggers: true),
            mode: .readOnly)
        try await file.connect()
        return file
    }

    private init(_ opening: Opening, mode: Mode) {
        path = opening.path
        executor = ThreadExecutor(name: "database")
        self.opening = opening
        self.mode = mode
    }

    private func connect() throws {
        switch mode {
        case .readWriteCreate: connection = try opening.forWriting(creating: true)
        case .readWrite: connection = try opening.forWriting(creating: false)
        case .readOnly: (connection, unlockedVersion) = try opening.forReading()
        }
    }

    /// Closes the file; closing twice is fine.
    ///
    /// Every later call throws ``DatabaseError/closed``.
    package func close() {
        connection = nil
    }

    func connected() throws(DatabaseError) -> Connection {
        guard let connection else { throw .closed }
        return connection
    }
}

// MARK: - Transactions

extension DatabaseFile {
    /// Runs `body` in a transaction that holds the write lock from its beginning, and commits.
    ///
    /// What `body` throws rolls back and is thrown on. Once this returns, the change survives a
    /// power cut. A database that a newer program has migrated meanwhile is not written to, nor one
    /// whose files are not those that were opened.
    ///
    /// - Throws: ``DatabaseError``, and what `body` throws.
    @discardableResult
    package func write<Result: Sendable>(
        _ body: @Sendable (borrowing Transaction) throws -> Result
    ) throws -> Result {
        let connection = try connected()
        guard mode != .readOnly else { throw DatabaseError.readOnly(path: path) }
        try connection.begin("BEGIN IMMEDIATE", until: ContinuousClock.now + opening.busyTimeout)
        do {
            try connection.files?.refuseReplaced()
            try refuseForeignSchema(connection)
            let result = try body(Transaction(on: connection, mayWrite: true))
            guard connection.isInTransaction else { throw DatabaseError.transactionLost }
            try connection.run("COMMIT")
            ownCommits += 1
            // What went into a log that has lost its name is not kept.
            try connection.files?.refuseReplaced()
            return result
        } catch {
            connection.rollBack()
            throw error
        }
    }

    /// Runs `body` on a snapshot: it sees one state of the database, whatever others commit.
    ///
    /// A statement that writes is refused.
    ///
    /// - Throws: ``DatabaseError``, and what `body` throws.
    package func read<Result: Sendable>(
        _ body: @Sendable (borrowing Transaction) throws -> Result
    ) throws -> Result {
        let connection = try connected()
        let deadline = ContinuousClock.now + opening.busyTimeout
        try connection.begin("BEGIN", until: deadline)
        // Rolled back rather than committed: it is the same for reading and cannot fail.
        defer { connection.rollBack() }
        // The snapshot begins with the first statement that reads: this one.
        try waitingForLocks(until: deadline) { () throws(DatabaseError) in
            try refuseForeignSchema(connection)
        }
        let result = try body(Transaction(on: connection, mayWrite: false))
        try refuseMoved()
        return result
    }

    /// Refuses a version that we do not know, and a schema that somebody has changed since the last
    /// transaction: by it our statements would do something else.
    private func refuseForeignSchema(_ connection: Connection) throws(DatabaseError) {
        let found = try connection.version()
        let known = opening.migrations.latest
        guard found <= known else {
            throw .newerVersion(path: path, found: found, known: known)
        }
        try opening.refuseChangedSchema(connection, version: found)
    }

    private func refuseMoved() throws(DatabaseError) {
        try connection?.files?.refuseReplaced()
        guard let unlockedVersion else { return }
        guard try DatabaseFiles.version(path) == unlockedVersion, try !DatabaseFiles.hasLog(path)
        else {
            throw .changedWhileReading(path: path)
        }
    }
}

// MARK: - Watching and checking

extension DatabaseFile {
    /// A number that differs from the last one asked for when anybody has committed since.
    ///
    /// Cheap enough to ask for many times a second: it reads one word of shared memory.
    ///
    /// - Throws: ``DatabaseError``, also where no commit of others could show any more because the
    ///   database, its log or the log's index was removed or replaced.
    package func changeCounter() throws -> Int64 {
        let connection = try connected()
        try connection.files?.refuseReplaced()
        // PRAGMA data_version counts the commits of others only.
        let others = try waitingForLocks(
            until: ContinuousClock.now + opening.busyTimeout
        ) { () throws(DatabaseError) in
            try connection.one("PRAGMA data_version") { row throws(DatabaseError) in
                try row.integer("data_version")
            }
        }
        return others + ownCommits
    }

    /// Refuses to go on where the database, its log or the log's index was removed or replaced
    /// since the opening.
    ///
    /// - Throws: ``DatabaseError/filesReplaced(path:)``, ``DatabaseError/closed``.
    package func refuseReplaced() throws {
        try connected().files?.refuseReplaced()
    }

    /// The schema's version in the file now, which a newer program may have raised.
    ///
    /// - Throws: ``DatabaseError``.
    package func schemaVersion() throws -> Int64 {
        try connected().version()
    }

    /// How commits are kept: `wal` in every home of ours; nil where the file is read without locks,
    /// and SQLite takes it for one that has no log.
    ///
    /// That each is synced (`synchronous`) is a matter of the connection that writes, which reads it
    /// back when it opens.
    ///
    /// - Throws: ``DatabaseError``.
    package func journalMode() throws -> String? {
        guard unlockedVersion == nil else { return nil }
        return try connected().one("PRAGMA journal_mode") { row throws(DatabaseError) in
            try row.text("journal_mode")
        }
    }

    /// SQLite's own findings about the file and its foreign keys; empty when all is well.
    ///
    /// - Throws: ``DatabaseError``, also where the damage stops the check itself.
    package func integrityCheck() throws -> [String] {
        try read { transaction in
            let pages = try transaction.rows(of: "PRAGMA integrity_check") { row in
                try row.text("integrity_check")
            }
            let references = try transaction.rows(of: "PRAGMA foreign_key_check") { row in
                "a row of \(try row.text("table")) refers to no row of \(try row.text("parent"))"
            }
            return pages.filter { $0 != "ok" } + references
        }
    }
}
