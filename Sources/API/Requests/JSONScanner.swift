/// Walks over the bytes of one JSON text (RFC 8259), strictly: no comments, no trailing commas, no bad
/// UTF-8, no lone surrogates.
///
/// What is read with it decides what may stand where.
struct JSONScanner {
    private let bytes: [UInt8]
    private(set) var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func peek() -> UInt8? { index < bytes.count ? bytes[index] : nil }

    mutating func take(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        index += 1
        return true
    }

    mutating func expect(_ byte: UInt8) throws(RequestError) {
        guard take(byte) else { throw .malformed(at: index) }
    }

    mutating func skipBlanks() {
        while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            index += 1
        }
    }

    mutating func end() throws(RequestError) {
        skipBlanks()
        guard index == bytes.count else { throw .malformed(at: index) }
    }

    mutating func string() throws(RequestError) -> String {
        let start = index
        try expect(UInt8(ascii: "\""))
        // As far as it is ASCII without escapes, which is nearly always all of it, in one piece.
        while index < bytes.count, Self.isPlain(bytes[index]) { index += 1 }
        let plain = bytes[(start + 1)..<index]
        if take(UInt8(ascii: "\"")) { return String(decoding: plain, as: UTF8.self) }
        var text = Array(plain)
        while let byte = peek() {
            index += 1
            switch byte {
            case UInt8(ascii: "\""):
                // String(validating:) refuses what is no UTF-8 instead of repairing it.
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw .malformed(at: start)
                }
                return string
            case UInt8(ascii: "\\"):
                try escape(into: &text)
            case 0..<0x20:
                throw .malformed(at: index - 1)
            default:
                text.append(byte)
            }
        }
        throw .malformed(at: start)
    }

    /// ASCII that stands for itself.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x80).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private mutating func escape(into text: inout [UInt8]) throws(RequestError) {
        guard let byte = peek() else { throw .malformed(at: index) }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            var value = UInt32(try hexadecimal())
            if (0xD800..<0xDC00).contains(value) {
                guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
                    throw .malformed(at: index)
                }
                let low = UInt32(try hexadecimal())
                guard (0xDC00..<0xE000).contains(low) else { throw .malformed(at: index) }
                value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(value) else { throw .malformed(at: index) }
            text += Array(String(Character(scalar)).utf8)
        default: throw .malformed(at: index - 1)
        }
    }

    private mutating func hexadecimal() throws(RequestError) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = peek(), let digit = Character(UnicodeScalar(byte)).hexDigitValue,
                byte < 0x80
            else { throw .malformed(at: index) }
            value = value << 4 | UInt16(digit)
            index += 1
        }
        return value
    }
}
