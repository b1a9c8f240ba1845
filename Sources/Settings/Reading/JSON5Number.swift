/// The numbers of JSON5: decimal and hex, with a sign, a point without digits on one side, Infinity.
enum JSON5Number {
    /// Reads a whole word; nil when it is no number.
    static func read(_ word: String) -> JSONValue? {
        let isNegative = word.hasPrefix("-")
        let magnitude = isNegative || word.hasPrefix("+") ? word.dropFirst() : Substring(word)
        let sign = isNegative ? "-" : ""
        if magnitude == "Infinity" { return .number(isNegative ? -.infinity : .infinity) }
        if magnitude == "NaN" { return .number(.nan) }
        if magnitude.lowercased().hasPrefix("0x") {
            let digits = magnitude.dropFirst(2)
            guard !digits.isEmpty, digits.allSatisfy(\.isHexDigit) else { return nil }
            return Int(sign + digits, radix: 16).map { .integer($0) }
        }
        guard let decimal = decimal(magnitude) else { return nil }
        if let integer = Int(sign + decimal) { return .integer(integer) }
        guard let number = Double(sign + decimal), number.isFinite else { return nil }
        // 15.0 and 1e3 are whole numbers, whatever they look like.
        return Int(exactly: number).map { .integer($0) } ?? .number(number)
    }

    /// The text with digits on both sides of its point, as Swift wants it; nil when it is no number.
    private static func decimal(_ text: Substring) -> String? {
        var rest = text
        let whole = digits(&rest)
        guard whole == "0" || !whole.hasPrefix("0") else { return nil }
        var decimal = whole.isEmpty ? "0" : String(whole)
        if rest.first == "." {
            rest.removeFirst()
            let fraction = digits(&rest)
            guard !whole.isEmpty || !fraction.isEmpty else { return nil }
            decimal += ".\(fraction.isEmpty ? "0" : fraction)"
        } else if whole.isEmpty {
            return nil
        }
        if rest.first == "e" || rest.first == "E" {
            rest.removeFirst()
            let sign = rest.first == "-" ? "-" : ""
            if rest.first == "-" || rest.first == "+" { rest.removeFirst() }
            let exponent = digits(&rest)
            guard !exponent.isEmpty else { return nil }
            decimal += "e\(sign)\(exponent)"
        }
        return rest.isEmpty ? decimal : nil
    }

    private static func digits(_ text: inout Substring) -> Substring {
        let digits = text.prefix { ("0"..."9").contains($0) }
        text.removeFirst(digits.count)
        return digits
    }
}
