import Documents

/// A verb's result: one value, shown as text to a person or as JSON to a script.
///
/// The JSON keys are a contract. A key whose value is not known stays, as null: see ``OrNull``.
protocol Report: Encodable, Sendable {
    /// What a person reads: whole lines, control characters escaped, prose wrapped at `width`.
    func text(width: Int) -> String

    /// What a script reads: one JSON value and a line end, unless the verb is documented otherwise.
    func json() throws -> [UInt8]
}

extension Report {
    func json() throws -> [UInt8] { try JSONText.line(self) }
}

/// One row of a list: its JSON object, and its cells in the table.
protocol ReportRow: Encodable, Sendable {
    /// The columns' titles, in capitals.
    static var titles: [String] { get }
    /// What stands under them.
    var cells: [String] { get }
}

/// A list: a JSON array, or a table; no rows are `[]`, or nothing.
struct ListReport<Row: ReportRow>: Report {
    let rows: [Row]

    init(_ rows: [Row]) {
        self.rows = rows
    }

    func text(width: Int) -> String {
        TextTable(titles: Row.titles, rows: rows.map(\.cells)).rendered
    }

    func encode(to encoder: any Encoder) throws {
        try rows.encode(to: encoder)
    }
}

/// A list whose JSON is a value on each line, for lists that grow without end.
struct LinesReport<Row: ReportRow>: Report {
    let rows: [Row]

    init(_ rows: [Row]) {
        self.rows = rows
    }

    func text(width: Int) -> String { ListReport(rows).text(width: width) }

    func json() throws -> [UInt8] { try rows.flatMap(JSONText.line) }

    func encode(to encoder: any Encoder) throws {
        try rows.encode(to: encoder)
    }
}

/// One text under one key, such as the manual page; the text is ours and printed as it stands.
struct TextReport: Report {
    let key: String
    let content: String

    func text(width: Int) -> String { content }

    func encode(to encoder: any Encoder) throws {
        var object = encoder.singleValueContainer()
        try object.encode([key: content])
    }
}
