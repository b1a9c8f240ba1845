extension JSON5Reader {
    /// Reads the string that begins with the quote at hand.
    mutating func string() throws(Malformed) -> String {
        let quote = bytes[at]
        at += 1
        var text: [UInt8] = []
        while let byte = peek {
            switch byte {
            case quote:
                at += 1
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw malformed("a string is not UTF-8")
                }
                return string
            case UInt8(ascii: "\\"):
                at += 1
                try escape(into: &text)
            case 0..<0x20: throw malformed("a string does not end on its line")
            default:
                text.append(byte)
                at += 1
            }
        }
        throw malformed("a string does not end")
    }

    private mutating func escape(into text: inout [UInt8]) throws(Malformed) {
        guard let byte = peek else { throw malformed("a string does not end") }
        at += 1
        switch byte {
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "v"): text.append(0x0B)
        case UInt8(ascii: "x"):
            text += "\(Unicode.Scalar(UInt8(truncatingIfNeeded: try hex(digits: 2))))".utf8
        case UInt8(ascii: "u"): text += "\(try unicodeScalar())".utf8
        // A line that goes on: the break is no part of the string.
        case 0x0A: break
        case 0x0D: _ = take(0x0A)
        case 0x30...0x39: throw malformed("a string has an escape that is none")
        default: text.append(byte)
        }
    }

    /// Four hex digits, or two times four for what lies beyond U+FFFF.
    private mutating func unicodeScalar() throws(Malformed) -> Unicode.Scalar {
        var code = UInt32(try hex(digits: 4))
        if (0xD800...0xDBFF).contains(code), take("\\u") {
            let low = UInt32(try hex(digits: 4))
            guard (0xDC00...0xDFFF).contains(low) else { throw malformed("half a character") }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw malformed("half a character") }
        return scalar
    }

    private mutating func hex(digits: Int) throws(Malformed) -> Int {
        let text = String(decoding: bytes[at..<min(at + digits, bytes.count)], as: UTF8.self)
        guard text.utf8.count == digits, text.allSatisfy(\.isHexDigit),
            let code = Int(text, radix: 16)
        else { throw malformed("a string has an escape that is none") }
        at += digits
        return code
    }
}
