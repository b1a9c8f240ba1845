internal import CSQLite
internal import Glibc

/// The one table from SQLite's result codes to ``DatabaseError``.
///
/// The primary code is the low byte of the extended one (sqlite.org/rescode.html). Where the
/// operating system's own error tells more (a full disk shows up as several I/O errors), it wins.
struct SQLiteFailure {
    /// The extended result code.
    let code: Int32
    /// `errno` of the last failing system call, 0 when there was none.
    let systemError: Int32
    /// sqlite3_errmsg: names tables, columns and pieces of our SQL, never bound values.
    let message: String

    var primaryCode: Int32 { code & 0xFF }

    /// What it means for the database at `path`.
    func explained(path: String) -> DatabaseError {
        switch primaryCode {
        case SQLITE_FULL: return .diskFull(path: path)
        case SQLITE_READONLY: return .readOnly(path: path)
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: return .locked(path: path)
        case SQLITE_NOTADB: return .notADatabase(path: path)
        case SQLITE_TOOBIG: return .valueTooLarge(path: path)
        case SQLITE_CORRUPT, SQLITE_FORMAT: return .corrupt(path: path, what: message)
        case SQLITE_PERM, SQLITE_AUTH: return .notAllowed(path: path)
        case SQLITE_NOMEM: return .outOfMemory
        case SQLITE_CONSTRAINT: return .constraint(constraintKind, rule: message)
        case SQLITE_ERROR, SQLITE_SCHEMA, SQLITE_MISMATCH, SQLITE_RANGE:
            return .badStatement(message)
        case SQLITE_CANTOPEN: return systemMeaning(path: path) ?? cannotOpen(path: path)
        case SQLITE_IOERR:
            return systemMeaning(path: path)
                ?? .inputOutput(path: path, what: "\(message) (code \(code))")
        default: return .fault(code: code, what: message)
        }
    }

    private var constraintKind: DatabaseError.ConstraintKind {
        switch code {
        case purser_sqlite_constraint_unique, purser_sqlite_constraint_primary_key,
            purser_sqlite_constraint_row_id:
            .unique
        case purser_sqlite_constraint_foreign_key: .foreignKey
        case purser_sqlite_constraint_check, purser_sqlite_constraint_datatype: .check
        case purser_sqlite_constraint_not_null: .notNull
        case purser_sqlite_constraint_trigger: .trigger
        default: .other
        }
    }

    private func systemMeaning(path: String) -> DatabaseError? {
        switch systemError {
        case ENOSPC, EDQUOT: .diskFull(path: path)
        case EROFS: .readOnly(path: path)
        case EACCES, EPERM: .notAllowed(path: path)
        case ENOMEM: .outOfMemory
        default: nil
        }
    }

    private func cannotOpen(path: String) -> DatabaseError {
        .cannotOpen(path: path, reason: systemError == 0 ? message : errorText(systemError))
    }
}

/// The text of an `errno`, such as `Not a directory`.
func errorText(_ number: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    guard unsafe strerror_r(number, &buffer, buffer.count) == 0 else { return "error \(number)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
