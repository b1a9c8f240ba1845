/// Columns of text, each as wide as its widest cell and two blanks apart; the last is ragged.
struct TextTable: Sendable {
    let titles: [String]
    let rows: [[String]]

    /// The lines with their line ends, escaped for the terminal; empty without rows.
    var rendered: String {
        rows.isEmpty ? "" : Self.align([titles] + rows)
    }

    /// Aligns rows that need no titles, indented by `indent` blanks.
    static func align(_ rows: [[String]], indent: Int = 0) -> String {
        let safe = rows.map { $0.map(TerminalText.escaped) }
        var widths: [Int] = []
        for row in safe {
            for (column, cell) in row.enumerated() {
                let width = TerminalText.width(cell)
                if column < widths.count {
                    widths[column] = max(widths[column], width)
                } else {
                    widths.append(width)
                }
            }
        }
        return safe.map { line(of: $0, widths: widths, indent: indent) }.joined()
    }

    private static func line(of row: [String], widths: [Int], indent: Int) -> String {
        var line = ""
        var gap = indent
        for (column, cell) in row.enumerated() where !cell.isEmpty || column == 0 {
            line += String(repeating: " ", count: gap) + cell
            gap = widths[column] - TerminalText.width(cell) + 2
            // Empty cells only widen the gap, so that no line ends in blanks.
            for (skipped, next) in zip(widths, row).dropFirst(column + 1) {
                guard next.isEmpty else { break }
                gap += skipped + 2
            }
        }
        return line + "\n"
    }
}

/// Named facts about one thing, one a line; absent ones are left out.
struct FieldList: Sendable {
    let fields: [(name: String, value: String?)]

    init(_ fields: [(name: String, value: String?)]) {
        self.fields = fields
    }

    var rendered: String {
        TextTable.align(fields.compactMap { field in field.value.map { [field.name + ":", $0] } })
    }
}
