internal import CSQLite

/// One prepared statement; finalised when the last reference goes.
///
/// Belongs to its ``Connection`` and never leaves this target, so it cannot outlive it.
@safe final class Statement {
    private let handle: OpaquePointer
    private let path: String
    private var columns: [String: Int32]?

    /// Prepares `sql`, which must be one statement.
    init(_ sql: String, on database: OpaquePointer, path: String) throws(DatabaseError) {
        var prepared: OpaquePointer?
        let status = unsafe sqlite3_prepare_v3(
            database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard status == SQLITE_OK else {
            throw unsafe SQLiteFailure(status, on: database).explained(path: path)
        }
        guard let prepared = unsafe prepared else {
            throw .badStatement("it is empty")
        }
        unsafe handle = prepared
        self.path = path
    }

    deinit {
        unsafe sqlite3_finalize(handle)
    }

    /// Whether it writes nothing, by SQLite's own judgement.
    var onlyReads: Bool { unsafe sqlite3_stmt_readonly(handle) != 0 }

    /// Binds parameters 1, 2, …; copies texts and blobs.
    func bind(_ values: [Value]) throws(DatabaseError) {
        let wanted = unsafe Int(sqlite3_bind_parameter_count(handle))
        guard values.count == wanted else {
            throw .badStatement("it has \(wanted) parameters and was given \(values.count) values")
        }
        for (index, value) in values.enumerated() {
            let status = bind(value, at: Int32(index + 1))
            guard status == SQLITE_OK else { throw failure(status) }
        }
    }

    private func bind(_ value: Value, at index: Int32) -> Int32 {
        switch value {
        case .null:
            return unsafe sqlite3_bind_null(handle, index)
        case .integer(let number):
            return unsafe sqlite3_bind_int64(handle, index, number)
        case .text(var text):
            return text.withUTF8 {
                unsafe purser_sqlite_bind_text(handle, index, $0.baseAddress, UInt64($0.count))
            }
        case .blob(let bytes):
            return unsafe bytes.withUnsafeBytes {
                unsafe purser_sqlite_bind_blob(handle, index, $0.baseAddress, UInt64($0.count))
            }
        }
    }

    /// Goes to the next row; false at the end.
    func step() throws(DatabaseError) -> Bool {
        let status = unsafe sqlite3_step(handle)
        switch status {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw failure(status)
        }
    }

    /// Ends the run and forgets the parameters, so that it can be used again.
    func reset() {
        // The status repeats what the last step has already thrown.
        unsafe sqlite3_reset(handle)
        unsafe sqlite3_clear_bindings(handle)
    }

    private func failure(_ status: Int32) -> DatabaseError {
        guard let database = unsafe sqlite3_db_handle(handle) else { return .closed }
        return unsafe SQLiteFailure(status, on: database).explained(path: path)
    }
}

// MARK: - The present row

extension Statement {
    /// The place of the column named `name`, the first of several.
    func column(_ name: String) throws(DatabaseError) -> Int32 {
        if columns == nil {
            var found: [String: Int32] = [:]
            let count = unsafe sqlite3_column_count(handle)
            for index in 0..<count {
                guard let text = unsafe sqlite3_column_name(handle, index) else { continue }
                let key = unsafe String(cString: text)
                if found[key] == nil { found[key] = index }
            }
            columns = found
        }
        guard let index = columns?[name] else {
            throw .wrongColumn(name: name, what: "there is none of this name")
        }
        return index
    }

    /// The value at `index`, or nil where it is NULL; `name` is for errors.
    func integer(at index: Int32, name: String) throws(DatabaseError) -> Int64? {
        switch unsafe sqlite3_column_type(handle, index) {
        case SQLITE_INTEGER: return unsafe sqlite3_column_int64(handle, index)
        case SQLITE_NULL: return nil
        default: throw .wrongColumn(name: name, what: "it is no integer")
        }
    }

    /// The text at `index`, or nil where it is NULL; refuses what is not UTF-8.
    func text(at index: Int32, name: String) throws(DatabaseError) -> String? {
        switch unsafe sqlite3_column_type(handle, index) {
        case SQLITE_TEXT:
            // The pointer first, then the count: sqlite.org/c3ref/column_blob.html
            let start = unsafe sqlite3_column_text(handle, index)
            let count = unsafe Int(sqlite3_column_bytes(handle, index))
            let bytes = unsafe UnsafeBufferPointer(start: start, count: count)
            guard let text = unsafe String(validating: bytes, as: UTF8.self) else {
                throw .wrongColumn(name: name, what: "it is not UTF-8")
            }
            return text
        case SQLITE_NULL: return nil
        default: throw .wrongColumn(name: name, what: "it is no text")
        }
    }

    /// A copy of the blob at `index`, or nil where it is NULL.
    func blob(at index: Int32, name: String) throws(DatabaseError) -> [UInt8]? {
        switch unsafe sqlite3_column_type(handle, index) {
        case SQLITE_BLOB:
            let start = unsafe sqlite3_column_blob(handle, index)
            let count = unsafe Int(sqlite3_column_bytes(handle, index))
            return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
        case SQLITE_NULL: return nil
        default: throw .wrongColumn(name: name, what: "it is no blob")
        }
    }
}

// MARK: - Not Sendable

@available(*, unavailable)
extension Statement: Sendable {}
