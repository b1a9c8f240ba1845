import FoundationEssentials

/// JSON as the command line prints it: one line, keys sorted, slashes bare, dates in RFC 3339.
enum JSONText {
    /// `value` with a line end; used for whole results and for JSON lines.
    static func line(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return escaped(Array(try encoder.encode(value))) + [UInt8(ascii: "\n")]
    }

    /// Writes what a terminal could obey as `\u` escapes, which mean the same to any reader.
    ///
    /// JSON demands it below U+0020 only. The rest stands inside strings, so it can be replaced
    /// without looking at the structure.
    private static func escaped(_ json: [UInt8]) -> [UInt8] {
        guard json.contains(where: { $0 >= 0x7F }) else { return json }
        let text = String(decoding: json, as: UTF8.self)
        guard text.unicodeScalars.contains(where: TerminalText.isUnsafe) else { return json }
        var safe: [UInt8] = []
        safe.reserveCapacity(json.count + 64)
        for scalar in text.unicodeScalars {
            if TerminalText.isUnsafe(scalar) {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    safe +=
                        Array("\\u".utf8)
                        + Array(repeating: UInt8(ascii: "0"), count: 4 - digits.utf8.count)
                    safe += Array(digits.utf8)
                }
            } else {
                safe += Array(String(scalar).utf8)
            }
        }
        return safe
    }
}
