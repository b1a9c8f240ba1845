/// Text that came from certificates, files or the command line, made safe to look at.
enum TerminalText {
    /// Replaces what could move the cursor, change colours or reorder what is read.
    ///
    /// These are control and format characters and line separators. `\n` and `\t` stay
    /// recognisable; others look like `\u{1B}`.
    static func escaped(_ text: String) -> String {
        if isPlain(text) { return text }
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        var safe = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": safe += "\\n"
            case "\r": safe += "\\r"
            case "\t": safe += "\\t"
            case _ where isUnsafe(scalar):
                safe += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: safe.unicodeScalars.append(scalar)
            }
        }
        return safe
    }

    /// Whether a terminal or a reader could be misled by this character.
    static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value >= 0x20 && scalar.value < 0x7F { return false }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: return true
        default: return false
        }
    }

    /// How many columns a text takes: wide East Asian characters and emoji two, marks none.
    static func width(_ text: String) -> Int {
        isPlain(text) ? text.utf8.count : text.reduce(0) { $0 + width($1) }
    }

    /// Whether a text is printable ASCII alone, as nearly all are: ten thousand rows are written in the
    /// time that it takes to read them.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
    }

    private static func width(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        if first.value < 0x300 && character.unicodeScalars.count == 1 { return 1 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        let isEmoji = character.unicodeScalars.contains {
            $0.properties.isEmojiPresentation || $0.value == 0xFE0F
        }
        return isEmoji || isWide(first.value) ? 2 : 1
    }

    /// The blocks that Unicode's EastAsianWidth.txt calls wide or full-width, coarsely.
    private static func isWide(_ value: UInt32) -> Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
