internal import Secrets

/// Base64 as it comes back from environment variables, mail and web forms, decoded into a secret.
///
/// White space, quotes, the two characters `\n` and the like are passed over, both alphabets are
/// read, and padding may be missing. Anything else, or bits left over, is a refusal: what was cut
/// off must not pass for whole.
enum ForeignBase64 {
    /// Decodes all of `text`; nil where it is no base64, or none is there.
    static func decode(_ text: ArraySlice<UInt8>) -> SecretBytes? {
        var digits = 0
        var rest = 0
        var isPadded = false
        var scanner = Scanner(text: text)
        while let token = scanner.next() {
            switch token {
            case .value(let six) where !isPadded:
                digits += 1
                rest = Int(six)
            case .padding: isPadded = true
            default: return nil
            }
        }
        let spare = digits % 4
        // One digit alone is six bits of nothing; two or three leave bits that must be zero.
        guard digits > 0, spare != 1, spare != 2 || rest & 0x0F == 0, spare != 3 || rest & 3 == 0
        else { return nil }
        return unsafe SecretBytes(count: digits * 6 / 8) { output in
            var scanner = Scanner(text: text)
            var pending: UInt32 = 0
            var bits: UInt32 = 0
            var written = 0
            while let token = scanner.next(), case .value(let six) = token {
                pending = pending << 6 | UInt32(six)
                bits += 6
                guard bits >= 8, written < output.count else { continue }
                bits -= 8
                unsafe output[written] = UInt8(truncatingIfNeeded: pending >> bits)
                written += 1
            }
        }
    }

    private enum Token {
        case value(UInt8)
        case padding
        case foreign
    }

    private struct Scanner {
        var text: ArraySlice<UInt8>

        /// The next character that means something; nil at the end.
        mutating func next() -> Token? {
            while let byte = text.popFirst() {
                switch byte {
                case 0x09, 0x0A, 0x0C, 0x0D, 0x20: continue
                // Quotes around it or around each line, a list's commas, a mail's marks.
                case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: ","), UInt8(ascii: ">"):
                    continue
                case UInt8(ascii: "\\"):
                    // A line end spelled out, a line continued, or JSON's escaped slash.
                    guard let escaped = text.first else { continue }
                    if Self.escapes.contains(escaped) { text.removeFirst() }
                case UInt8(ascii: "="): return .padding
                case UInt8(ascii: "-"): return .value(62)
                case UInt8(ascii: "_"): return .value(63)
                default:
                    guard let value = Base64.value(of: byte) else { return .foreign }
                    return .value(value)
                }
            }
            return nil
        }

        private static let escapes = Array("nrt\"'\\".utf8)
    }
}
