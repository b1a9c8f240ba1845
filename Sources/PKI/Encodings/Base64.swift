package import Secrets

/// Bytes as base64 text and back (RFC 4648 §4 and §5), strictly: no white space, no stray bits.
///
/// Keys in PEM are encoded and decoded by ``PEMDocument``, inside ``Secrets/SecretBytes``.
package enum Base64 {
    /// The alphabet with `+` and `/`, padded, on one line.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        text(bytes, alphabet: standard, padded: true)
    }

    /// The alphabet with `-` and `_`, without padding.
    package static func encodeURL(_ bytes: some Sequence<UInt8>) -> String {
        text(bytes, alphabet: urlSafe, padded: false)
    }

    /// The same for a secret, whose text is a secret too: four characters for three bytes.
    package static func encodeURL(_ secret: SecretBytes) -> SecretBytes {
        unsafe SecretBytes(count: (secret.count * 8 + 5) / 6) { output in
            unsafe secret.withUnsafeBytes { input in
                for index in 0..<output.count {
                    // The six bits that begin at this bit lie in one byte or in two.
                    let (byte, bit) = (index * 6).quotientAndRemainder(dividingBy: 8)
                    let next = byte + 1 < input.count ? unsafe UInt16(input[byte + 1]) : 0
                    let pair = unsafe UInt16(input[byte]) << 8 | next
                    unsafe output[index] = urlSafe[Int(pair >> UInt16(10 - bit) & 63)]
                }
            }
        }
    }

    /// Reads padded base64; nil for anything else.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let characters = Array(text.utf8)
        guard characters.count.isMultiple(of: 4) else { return nil }
        var end = characters.count
        while end > 0, characters.count - end < 2, characters[end - 1] == UInt8(ascii: "=") {
            end -= 1
        }
        return bytes(characters[..<end], alphabet: standard)
    }

    /// Reads base64url without padding; nil for anything else.
    package static func decodeURL(_ text: some StringProtocol) -> [UInt8]? {
        bytes(Array(text.utf8)[...], alphabet: urlSafe)
    }

    // MARK: - Tables

    private static let common = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    private static let standard = common + Array("+/".utf8)
    private static let urlSafe = common + Array("-_".utf8)

    /// The character of the standard alphabet that stands for the six bits.
    static func character(_ six: UInt8) -> UInt8 {
        standard[Int(six & 63)]
    }

    /// The six bits that `character` stands for in the standard alphabet.
    static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }

    private static func text(
        _ bytes: some Sequence<UInt8>, alphabet: [UInt8], padded: Bool
    ) -> String {
        var text: [UInt8] = []
        var pending: UInt32 = 0
        var bits = 0
        for byte in bytes {
            pending = pending << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(alphabet[Int(pending >> UInt32(bits) & 63)])
            }
        }
        if bits > 0 {
            text.append(alphabet[Int(pending << UInt32(6 - bits) & 63)])
        }
        while padded, !text.count.isMultiple(of: 4) {
            text.append(UInt8(ascii: "="))
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func bytes(_ characters: ArraySlice<UInt8>, alphabet: [UInt8]) -> [UInt8]? {
        guard characters.count % 4 != 1 else { return nil }
        let isURL = alphabet[62] == UInt8(ascii: "-")
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.count / 4 * 3)
        var pending: UInt32 = 0
        var bits = 0
        for character in characters {
            let six: UInt8
            switch character {
            case UInt8(ascii: "-") where isURL: six = 62
            case UInt8(ascii: "_") where isURL: six = 63
            case UInt8(ascii: "+") where isURL, UInt8(ascii: "/") where isURL: return nil
            default:
                guard let value = value(of: character) else { return nil }
                six = value
            }
            pending = pending << 6 | UInt32(six)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: pending >> UInt32(bits)))
            }
        }
        // Bits left over must be zero, or two texts would stand for the same bytes.
        guard pending & (1 << UInt32(bits) - 1) == 0 else { return nil }
        return bytes
    }
}
