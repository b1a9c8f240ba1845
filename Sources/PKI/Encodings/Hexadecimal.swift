/// Bytes as hexadecimal text and back (RFC 4648 §8).
package enum Hexadecimal {
    /// Two digits a byte, without separators; lower case.
    package static func lowercase(_ bytes: some Sequence<UInt8>) -> String {
        encode(bytes, digits: Array("0123456789abcdef".utf8))
    }

    /// Two digits a byte, without separators; upper case, as Apple writes hashes.
    package static func uppercase(_ bytes: some Sequence<UInt8>) -> String {
        encode(bytes, digits: Array("0123456789ABCDEF".utf8))
    }

    /// Reads digits of either case; nil for an odd count or any other character.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(of: digits[index]), let low = value(of: digits[index + 1]) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// The bytes of digits in lower case alone, as this program writes them; nil for anything else.
    ///
    /// For what is compared, named or signed as text: two spellings of one thing are one too many.
    package static func decode(lowercase text: some StringProtocol) -> [UInt8]? {
        guard let bytes = decode(text), text == lowercase(bytes) else { return nil }
        return bytes
    }

    private static func encode(_ bytes: some Sequence<UInt8>, digits: [UInt8]) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
