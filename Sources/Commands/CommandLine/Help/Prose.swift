/// Text set to a width.
enum Prose {
    /// Breaks a paragraph into lines of at most `width` columns, each indented.
    static func wrap(_ text: String, width: Int, indent: Int = 0) -> String {
        wrap(words: text.split(separator: " ").map(String.init), width: width, indent: indent)
    }

    /// Breaks between words only; lines after the first are indented by `hanging` instead.
    static func wrap(
        words: [String], width: Int, indent: Int = 0, hanging: Int? = nil
    ) -> String {
        var lines: [String] = []
        var line = String(repeating: " ", count: indent)
        var isEmpty = true
        for word in words {
            if !isEmpty && line.count + 1 + word.count > width {
                lines.append(line)
                line = String(repeating: " ", count: hanging ?? indent)
                isEmpty = true
            }
            line += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        lines.append(line)
        return lines.joined(separator: "\n") + "\n"
    }

    /// Terms with their meanings beside them, or below where a term is long.
    static func definitions(_ entries: [(term: String, meaning: String)], width: Int) -> String {
        let widest = entries.map(\.term.count).filter { $0 <= 22 }.max() ?? 0
        let column = 2 + widest + 2
        return entries.map { term, meaning in
            let text = wrap(meaning, width: width, indent: column)
            guard term.count <= widest else { return "  \(term)\n\(text)" }
            let padding = String(repeating: " ", count: column - 2 - term.count)
            return "  \(term)\(padding)\(text.dropFirst(column))"
        }.joined()
    }
}
