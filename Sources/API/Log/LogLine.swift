/// One JSON object as one line of bytes, written from left to right (RFC 8259).
///
/// By hand, because a line is written for every request and `JSONEncoder` would take longer than
/// anything else that is done for one. What is nil is left out.
package struct LogLine: ~Copyable {
    private var bytes: [UInt8] = []

    /// An object without members yet.
    package init() {
        bytes.reserveCapacity(512)
        bytes.append(UInt8(ascii: "{"))
    }

    /// The line with its end.
    package consuming func finished() -> [UInt8] {
        bytes.append(UInt8(ascii: "}"))
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    /// A text.
    package mutating func add(_ key: StaticString, _ value: String?) {
        guard let value else { return }
        begin(key)
        bytes.append(UInt8(ascii: "\""))
        let text = value.utf8.span
        if text.indices.allSatisfy({ Self.isPlain(text[$0]) }) {
            bytes.append(contentsOf: value.utf8)
        } else {
            for unit in value.utf16 { append(unit) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// A whole number.
    package mutating func add(_ key: StaticString, _ value: Int?) {
        guard let value else { return }
        begin(key)
        bytes += String(value).utf8
    }

    mutating func add(_ key: StaticString, _ value: Bool?) {
        guard let value else { return }
        begin(key)
        bytes += (value ? "true" : "false").utf8
    }

    /// Milliseconds with two decimals.
    mutating func add(_ key: StaticString, milliseconds value: Duration) {
        begin(key)
        let (seconds, attoseconds) = value.components
        let hundredths = seconds * 100_000 + attoseconds / 10_000_000_000_000
        bytes += String(hundredths / 100).utf8
        bytes.append(UInt8(ascii: "."))
        bytes.append(UInt8(ascii: "0") + UInt8(hundredths / 10 % 10))
        bytes.append(UInt8(ascii: "0") + UInt8(hundredths % 10))
    }

    private mutating func begin(_ key: StaticString) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "\""))
        key.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    /// What needs no escape in JSON and does nothing to a terminal that shows the log.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private mutating func append(_ unit: UInt16) {
        if let byte = UInt8(exactly: unit), Self.isPlain(byte) { return bytes.append(byte) }
        let digits = String(unit, radix: 16)
        bytes += "\\u".utf8
        bytes += repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count)
        bytes += digits.utf8
    }
}
