/// The schema's history: step *n* takes a database of version *n* − 1 to version *n*.
///
/// Steps are never changed once released, and only add, so that a program one version older can go
/// on reading what it has in memory. The version is `PRAGMA user_version`.
package struct Migrations: Sendable {
    private let steps: [SQL]

    /// Takes the steps in order; each may hold several statements and runs in a transaction.
    package init(_ steps: [SQL]) {
        self.steps = steps
    }

    /// The version after the last step: the newest that this program knows.
    package var latest: Int64 { Int64(steps.count) }

    /// Brings the database up to ``latest``.
    ///
    /// Two processes may start at once: each step takes the write lock first and then reads the
    /// version again, so that one works and the other finds it done.
    func apply(
        to connection: Connection, until deadline: ContinuousClock.Instant
    ) throws(DatabaseError) {
        while try connection.version() < latest {
            try connection.begin("BEGIN IMMEDIATE", until: deadline)
            do throws(DatabaseError) {
                let header = try connection.header()
                try header.refuseNewer(than: latest, path: connection.path)
                if header.version < latest {
                    if !header.isBlank { try header.refuseForeign(path: connection.path) }
                    try connection.runScript(steps[Int(header.version)].text)
                    try connection.run("PRAGMA user_version = \(header.version + 1)")
                    if header.version == 0 {
                        try connection.run("PRAGMA application_id = \(Header.ourApplication)")
                    }
                }
                try connection.run("COMMIT")
            } catch {
                connection.rollBack()
                throw error
            }
        }
    }
}

// MARK: - The schema that they make

extension Migrations {
    /// The schema of a database of `version`, made in memory: under a millisecond.
    func schema(ofVersion version: Int64) throws(DatabaseError) -> Schema {
        let model = try Connection.inMemory()
        for step in steps.prefix(Int(clamping: max(0, version))) {
            try model.runScript(step.text)
        }
        return try model.schema()
    }
}

// MARK: - Beginning and ending

extension Connection {
    /// Begins a transaction, waiting for the lock until `deadline`.
    func begin(_ sql: String, until deadline: ContinuousClock.Instant) throws(DatabaseError) {
        // Left open only if an earlier ROLLBACK failed.
        if isInTransaction { rollBack() }
        try waitingForLocks(until: deadline) { () throws(DatabaseError) in try run(sql) }
    }

    /// Rolls back what is open; SQLite may have done so already.
    func rollBack() {
        guard isInTransaction else { return }
        // What failed before is what the caller hears; `begin` tries again.
        try? run("ROLLBACK")
    }
}
