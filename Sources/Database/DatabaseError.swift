package import Problems

/// Why the database cannot be opened, read or written.
///
/// Which result of SQLite becomes which case is decided in one place, `SQLiteFailure`. Texts from
/// SQLite name tables and columns only, never a value that was bound.
package enum DatabaseError: Explained, Equatable {
    /// There is no file at the path, and it was not to be made.
    case missing(path: String)
    /// The file's first page is not SQLite's.
    case notADatabase(path: String)
    /// A database, but of another program.
    case notOurs(path: String)
    /// Other users may read or write the file.
    case loosePermissions(path: String, mode: UInt32)
    /// A newer program has migrated it; nothing was touched.
    case newerVersion(path: String, found: Int64, known: Int64)
    /// It waits for a migration, which reading alone cannot do.
    case olderVersion(path: String, found: Int64, known: Int64)
    /// Its tables, triggers or views are not those that our migrations make.
    case schemaChanged(path: String, what: String)
    case corrupt(path: String, what: String)
    case diskFull(path: String)
    case readOnly(path: String)
    case notAllowed(path: String)
    case cannotOpen(path: String, reason: String)
    /// Somebody else held the lock for longer than we wait.
    case locked(path: String)
    case inputOutput(path: String, what: String)
    /// The file system or library does not do what durability needs.
    case settingRefused(path: String, setting: String)
    /// The folder cannot be written, and the write-ahead log cannot be read without that.
    case logUnreadable(path: String)
    /// The database, its log or the log's index is not the file any more that was opened.
    case filesReplaced(path: String)
    /// A text or blob in it is longer than any of ours.
    case valueTooLarge(path: String)
    /// It was read without locks and was written meanwhile.
    case changedWhileReading(path: String)
    case outOfMemory
    case closed
    /// A row breaks a rule of the schema; `rule` is SQLite's message.
    case constraint(ConstraintKind, rule: String)
    /// A column of an answer is absent or not of the type asked for.
    case wrongColumn(name: String, what: String)
    /// The statement is not valid for this schema; a fault of ours.
    case badStatement(String)
    /// A statement that writes was given to a reading transaction; a fault of ours.
    case writeWhileReading
    /// SQLite had ended the transaction because of an earlier error.
    case transactionLost
    /// Any other result of SQLite.
    case fault(code: Int32, what: String)

    /// Which sort of rule of the schema a row breaks.
    package enum ConstraintKind: String, Sendable, Hashable, CaseIterable {
        case unique = "is not unique"
        case foreignKey = "refers to nothing"
        case check = "has a value that is not allowed"
        case notNull = "lacks a value"
        /// Raised by a trigger of ours.
        case trigger = "is protected"
        case other = "breaks a rule"
    }

    package var code: String {
        switch self {
        case .missing: "database.missing"
        case .notADatabase: "database.not-a-database"
        case .notOurs: "database.not-ours"
        case .loosePermissions: "database.loose-permissions"
        case .newerVersion: "database.newer-version"
        case .olderVersion: "database.older-version"
        case .schemaChanged: "database.schema-changed"
        case .corrupt: "database.corrupt"
        case .diskFull: "database.disk-full"
        case .readOnly: "database.read-only"
        case .notAllowed: "database.not-allowed"
        case .cannotOpen: "database.cannot-open"
        case .locked: "database.locked"
        case .inputOutput: "database.input-output"
        case .settingRefused: "database.setting-refused"
        case .logUnreadable: "database.log-unreadable"
        case .filesReplaced: "database.files-replaced"
        case .valueTooLarge: "database.value-too-large"
        case .changedWhileReading: "database.changed-while-reading"
        case .outOfMemory: "database.out-of-memory"
        case .closed: "database.closed"
        case .constraint: "database.constraint"
        case .wrongColumn: "database.wrong-column"
        case .badStatement: "database.bad-statement"
        case .writeWhileReading: "database.write-while-reading"
        case .transactionLost: "database.transaction-lost"
        case .fault: "database.fault"
        }
    }

    package var nature: Nature {
        switch self {
        case .missing: .notFound
        case .notADatabase, .notOurs, .loosePermissions, .newerVersion, .olderVersion, .cannotOpen,
            .settingRefused:
            .configuration
        case .diskFull, .readOnly: .cannotCreate
        case .notAllowed, .logUnreadable: .denied
        case .locked, .changedWhileReading, .filesReplaced, .closed: .unavailable
        case .constraint: .conflict
        case .schemaChanged, .corrupt, .valueTooLarge, .inputOutput, .outOfMemory, .wrongColumn,
            .badStatement,
            .writeWhileReading, .transactionLost, .fault:
            .internalFault
        }
    }

    package static var examples: [DatabaseError] {
        let path = "/var/lib/purser/purser.db"
        return [
            .missing(path: path), .notADatabase(path: path), .notOurs(path: path),
            .loosePermissions(path: path, mode: 0o644),
            .newerVersion(path: path, found: 3, known: 1),
            .olderVersion(path: path, found: 1, known: 2),
            .schemaChanged(path: path, what: "trigger spy does not belong there"),
            .corrupt(path: path, what: "database disk image is malformed"),
            .diskFull(path: path), .readOnly(path: path), .notAllowed(path: path),
            .cannotOpen(path: path, reason: "Not a directory"), .locked(path: path),
            .inputOutput(path: path, what: "disk I/O error (code 1034)"),
            .settingRefused(path: path, setting: "journal_mode=wal"), .logUnreadable(path: path),
            .filesReplaced(path: path), .valueTooLarge(path: path),
            .changedWhileReading(path: path), .outOfMemory, .closed,
            .constraint(.unique, rule: "UNIQUE constraint failed: merchants.id"),
            .wrongColumn(name: "team", what: "it is NULL"),
            .badStatement("no such table: merchants"), .writeWhileReading, .transactionLost,
            .fault(code: 21, what: "bad parameter or other API misuse"),
        ]
    }
}

// MARK: - What a person reads

extension DatabaseError {
    package var summary: String {
        switch self {
        case .missing(let path): "there is no database at \(path)"
        case .notADatabase(let path): "\(path) is not an SQLite database"
        case .notOurs(let path): "\(path) is the database of another program"
        case .loosePermissions(let path, let mode):
            "other users have access to \(path) (mode 0\(String(mode & 0o777, radix: 8)))"
        case .newerVersion(let path, let found, let known):
            "\(path) has schema version \(found); this program knows up to \(known)"
        case .olderVersion(let path, let found, let known):
            "\(path) has schema version \(found) and waits for migration to \(known)"
        case .schemaChanged(let path, let what): "\(path) was tampered with: \(what)"
        case .corrupt(let path, let what): "\(path) is damaged: \(what)"
        case .diskFull(let path): "no space is left to write \(path)"
        case .readOnly(let path): "\(path) cannot be written"
        case .notAllowed(let path): "this user may not open \(path)"
        case .cannotOpen(let path, let reason): "\(path) cannot be opened: \(reason)"
        case .locked(let path): "another program keeps \(path) locked"
        case .inputOutput(let path, let what): "the disk under \(path) fails: \(what)"
        case .settingRefused(let path, let setting): "SQLite does not keep \(setting) on \(path)"
        case .logUnreadable(let path):
            "changes wait in \(path)-wal, which cannot be read without writing its folder"
        case .filesReplaced(let path):
            "\(path), its -wal or its -shm was removed or replaced while it was in use"
        case .valueTooLarge(let path): "a value in \(path) is larger than purser ever writes"
        case .changedWhileReading(let path): "\(path) was written while it was being read"
        case .outOfMemory: "no memory is left for the database"
        case .closed: "the database is closed"
        case .constraint(let kind, let rule): "a record \(kind.rawValue): \(rule)"
        case .wrongColumn(let name, let what): "the database's column \(name) is unusable: \(what)"
        case .badStatement(let what): "a statement does not fit the database: \(what)"
        case .writeWhileReading: "a statement that writes was used where only reading is allowed"
        case .transactionLost: "the database gave up the transaction after an earlier error"
        case .fault(let code, let what): "SQLite fails with code \(code): \(what)"
        }
    }

    /// What is left where the records cannot be used: the keys have what is needed to make them anew.
    package static let wayBack =
        "stop the service first; put the home back from a backup, or move purser.db and "
        + "purser.db-wal away, then: purser rebuild"

    package var remedy: String {
        switch self {
        case .missing: "make a home with: purser init; where there are keys already: purser rebuild"
        case .schemaChanged, .valueTooLarge:
            "stop the service first; put the home back from a backup, or move purser.db* away and: "
                + "purser rebuild; find out who wrote"
        case .notADatabase, .corrupt: Self.wayBack
        case .filesReplaced:
            "stop the service first; then see with purser audit list what is recorded, and do the rest again"
        case .notOurs:
            "name another home with --home, or move purser.db and purser.db-wal away, then: purser rebuild"
        case .loosePermissions(let path, _): "chmod 600 \(path)"
        case .newerVersion:
            "use the newer purser that migrated it, or stop the service and restore an older backup"
        case .olderVersion: "restart the service or run a command that writes, as the home's owner"
        case .diskFull: "free some space on its file system, then try again"
        case .readOnly: "mount its file system for writing, or run as the home's owner"
        case .notAllowed, .logUnreadable: "run the command as the home's owner, with sudo -u"
        case .cannotOpen: "check that its folder exists, is a folder, and is readable"
        case .locked(let path): "see who holds it with: fuser -v \(path) ; then try again"
        case .inputOutput:
            "look for disk errors with: dmesg ; then, on a sound disk: purser restore, or purser rebuild"
        case .settingRefused: "put the home on a local file system (not NFS)"
        case .changedWhileReading: "try again"
        case .outOfMemory: "give the process more memory, then try again"
        case .closed: "start the program again"
        case .constraint: "list what is recorded, and correct the request"
        case .wrongColumn, .badStatement: Self.wayBack
        case .transactionLost: "look for the first error in the log, correct it, and try again"
        case .writeWhileReading, .fault: "report this with the log of what you did"
        }
    }
}
