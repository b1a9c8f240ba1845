/// The present row of a query, lent for the time of a closure.
///
/// Every getter names its column and says what it expects; an absent column, another type, or NULL
/// where none is expected is thrown as ``DatabaseError/wrongColumn(name:what:)``.
package struct Row: ~Copyable {
    private let statement: Statement

    init(_ statement: Statement) {
        self.statement = statement
    }

    /// An integer that is not NULL.
    package func integer(_ column: String) throws(DatabaseError) -> Int64 {
        try present(optionalInteger(column), column)
    }

    /// An integer, or nil for NULL.
    package func optionalInteger(_ column: String) throws(DatabaseError) -> Int64? {
        try statement.integer(at: statement.column(column), name: column)
    }

    /// A truth value, kept as 1 or 0.
    package func boolean(_ column: String) throws(DatabaseError) -> Bool {
        switch try integer(column) {
        case 0: return false
        case 1: return true
        default: throw .wrongColumn(name: column, what: "it is neither 0 nor 1")
        }
    }

    /// A text that is not NULL.
    package func text(_ column: String) throws(DatabaseError) -> String {
        try present(optionalText(column), column)
    }

    /// A text, or nil for NULL.
    package func optionalText(_ column: String) throws(DatabaseError) -> String? {
        try statement.text(at: statement.column(column), name: column)
    }

    /// Bytes that are not NULL.
    package func blob(_ column: String) throws(DatabaseError) -> [UInt8] {
        try present(optionalBlob(column), column)
    }

    /// Bytes, or nil for NULL.
    package func optionalBlob(_ column: String) throws(DatabaseError) -> [UInt8]? {
        try statement.blob(at: statement.column(column), name: column)
    }

    private func present<Found>(
        _ value: Found?, _ column: String
    ) throws(DatabaseError) -> Found {
        guard let value else { throw .wrongColumn(name: column, what: "it is NULL") }
        return value
    }
}

// MARK: - Not Sendable

@available(*, unavailable)
extension Row: Sendable {}
