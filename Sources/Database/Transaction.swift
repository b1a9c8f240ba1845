/// An open transaction, lent to a closure by ``DatabaseFile``.
///
/// It cannot be copied or kept: it ends with the closure, which is synchronous, so that no
/// transaction ever spans an `await`, and none is opened inside another. Functions that work in
/// somebody's transaction take it as a `borrowing` parameter.
package struct Transaction: ~Copyable {
    private let connection: Connection
    private let mayWrite: Bool

    init(on connection: Connection, mayWrite: Bool) {
        self.connection = connection
        self.mayWrite = mayWrite
    }

    /// Runs a statement that answers no rows.
    ///
    /// - Returns: how many rows it changed.
    /// - Throws: ``DatabaseError``.
    @discardableResult
    package func execute(_ sql: SQL, _ values: [Value] = []) throws(DatabaseError) -> Int {
        let statement = try statement(sql, values)
        while try statement.step() {}
        connection.keep(statement, sql.text)
        return connection.changes
    }

    /// Hands each row of a query to `body` as it is found: constant memory, whatever the number.
    ///
    /// `body` returns false to stop. Changing the tables that are being read is not allowed there.
    ///
    /// - Throws: ``DatabaseError``, and what `body` throws.
    package func forEachRow(
        of sql: SQL, _ values: [Value] = [], _ body: (borrowing Row) throws -> Bool
    ) throws {
        let statement = try statement(sql, values)
        while try statement.step() {
            guard try body(Row(statement)) else { break }
        }
        connection.keep(statement, sql.text)
    }

    /// All rows of a query, each mapped.
    ///
    /// - Throws: ``DatabaseError``, and what `map` throws.
    package func rows<Element>(
        of sql: SQL, _ values: [Value] = [], _ map: (borrowing Row) throws -> Element
    ) throws -> [Element] {
        var all: [Element] = []
        try forEachRow(of: sql, values) { row in
            all.append(try map(row))
            return true
        }
        return all
    }

    /// The first row of a query, mapped; nil when there is none.
    ///
    /// - Throws: ``DatabaseError``, and what `map` throws.
    package func firstRow<Element>(
        of sql: SQL, _ values: [Value] = [], _ map: (borrowing Row) throws -> Element
    ) throws -> Element? {
        var first: Element?
        try forEachRow(of: sql, values) { row in
            first = try map(row)
            return false
        }
        return first
    }

    /// Whether a query answers any row.
    package func hasRow(of sql: SQL, _ values: [Value] = []) throws -> Bool {
        try firstRow(of: sql, values) { _ in true } ?? false
    }

    /// Takes out a statement that this transaction may run.
    ///
    /// SQLite rolls back by itself after a full disk and some other errors. Were that error
    /// swallowed, the next statement would run outside any transaction.
    private func statement(_ sql: SQL, _ values: [Value]) throws(DatabaseError) -> Statement {
        guard connection.isInTransaction else { throw .transactionLost }
        let statement = try connection.statement(sql.text, values)
        guard mayWrite || statement.onlyReads else { throw .writeWhileReading }
        return statement
    }
}

// MARK: - Not Sendable

@available(*, unavailable)
extension Transaction: Sendable {}
