internal import Secrets

/// Text of unknown making: which encoding, and which PEM blocks, however they were mangled.
///
/// A block is found by its dashes wherever they stand, so lines may have been joined by blanks or by
/// the two characters `\n`, quoted, indented, or surrounded by anything. Works in one pass.
enum ForeignText {
    /// What stands between BEGIN and END.
    struct Block {
        /// Without white space, such as `RSAPRIVATEKEY`: some tools lose that too.
        let label: String
        /// Cipher and initialisation vector of a traditional encrypted key.
        let encryption: (cipher: String, vector: [UInt8])?
        /// Nil where it is no base64.
        let contents: SecretBytes?
        /// Whether it stopped at its own END.
        let isWhole: Bool
    }

    /// Whether these bytes are meant to be read by people.
    static func isText(_ bytes: [UInt8]) -> Bool {
        let isControl = { (byte: UInt8) in
            byte < 0x20 && !(0x09...0x0D).contains(byte) || byte == 0x7F
        }
        let end = bytes.lastIndex { !isPadding($0) } ?? -1
        return !bytes[...end].contains(where: isControl) || find(begin, in: bytes, from: 0) != nil
    }

    /// What tools leave at a file's end: white space, NUL, and DOS's end of file.
    static func isPadding(_ byte: UInt8) -> Bool {
        byte == 0 || byte == 0x1A || byte == 0x20 || (0x09...0x0D).contains(byte)
    }

    /// The text of UTF-16 in either order, with its mark or without, as bytes; nil for any other.
    ///
    /// Characters beyond Latin-1 become `?`: no key is made of them.
    static func narrowed(_ bytes: [UInt8]) -> SecretBytes? {
        guard bytes.count >= 2 else { return nil }
        let isMarked = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
        let high: Int
        if isMarked {
            high = bytes[0] == 0xFF ? 1 : 0
        } else {
            let start = bytes.prefix(32)
            guard start.count == 32 else { return nil }
            let zero = [0, 1].filter { half in
                (0..<16).allSatisfy { unit in
                    start[unit * 2 + half] == 0 && start[unit * 2 + 1 - half] >= 0x09
                        && start[unit * 2 + 1 - half] < 0x7F
                }
            }
            guard let found = zero.first else { return nil }
            high = found
        }
        let first = isMarked ? 1 : 0
        let count = bytes.count / 2 - first
        return unsafe SecretBytes(count: count) { output in
            for index in 0..<count {
                let unit = (index + first) * 2
                unsafe output[index] =
                    bytes[unit + high] == 0 ? bytes[unit + 1 - high] : UInt8(ascii: "?")
            }
        }
    }

    /// All blocks in their order; at most `limit`, and one more to tell that there are more.
    static func blocks(in bytes: [UInt8], limit: Int) -> [Block] {
        var blocks: [Block] = []
        var position = 0
        while blocks.count <= limit, let start = find(begin, in: bytes, from: position),
            let labelEnd = find(dashes, in: bytes, from: start + begin.count)
        {
            position = start + begin.count
            guard labelEnd - position <= 64 else { continue }
            let label = compact(bytes[position..<labelEnd])
            let body = labelEnd + dashes.count
            let stop = find(dashes, in: bytes, from: body)
            var isWhole = false
            position = stop ?? bytes.count
            if let stop, bytes[stop...].starts(with: end),
                let close = find(dashes, in: bytes[(stop + end.count)...].prefix(80))
            {
                isWhole = compact(bytes[(stop + end.count)..<close]) == label
                position = close + dashes.count
            }
            var rest = bytes[body..<(stop ?? bytes.count)]
            let encryption = takeEncryption(&rest)
            dropHeaders(&rest)
            blocks.append(
                Block(
                    label: label, encryption: encryption, contents: ForeignBase64.decode(rest),
                    isWhole: isWhole))
        }
        return blocks
    }

    /// The bytes of base64 whose markers were lost, a name such as `KEY=` before it or not.
    static func bare(_ bytes: [UInt8]) -> SecretBytes? {
        var text = bytes[...]
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
        // A marker that was half lost.
        if let marker = find(dashes, in: bytes, from: text.startIndex) { text = text[..<marker] }
        while let last = text.last, isPadding(last) { text.removeLast() }
        if let decoded = plausible(text) { return decoded }
        let separators = [UInt8(ascii: "="), UInt8(ascii: ":")]
        guard let separator = text.prefix(128).firstIndex(where: separators.contains) else {
            return nil
        }
        return plausible(text[(separator + 1)...])
    }

    /// Base64 that says something: DER, or text again.
    private static func plausible(_ text: ArraySlice<UInt8>) -> SecretBytes? {
        guard let decoded = ForeignBase64.decode(text), decoded.count >= 24 else { return nil }
        return unsafe decoded.withUnsafeBytes { bytes in
            unsafe bytes[0] == 0x30 || bytes.allSatisfy { $0 >= 0x09 && $0 < 0x7F }
        } ? decoded : nil
    }

    // MARK: - Headers

    /// Takes RFC 1421's two headers off the front, wherever their lines end.
    private static func takeEncryption(
        _ rest: inout ArraySlice<UInt8>
    ) -> (cipher: String, vector: [UInt8])? {
        let name = Array("DEK-Info:".utf8)
        let window = rest.prefix(256)
        guard find(Array("Proc-Type:".utf8), in: window) != nil,
            let start = find(name, in: window)
        else { return nil }
        let value = rest[(start + name.count)...].drop { $0 == 0x20 }
        let end = value.firstIndex { $0 <= 0x20 || $0 == UInt8(ascii: "\\") } ?? value.endIndex
        rest = value[end...]
        let parts = value[..<end].split(separator: UInt8(ascii: ","))
        guard parts.count == 2, parts[0].count <= 32 else { return ("unknown", []) }
        let hexadecimal = String(decoding: parts[1], as: UTF8.self)
        return (
            String(decoding: parts[0], as: UTF8.self), Hexadecimal.decode(hexadecimal) ?? []
        )
    }

    /// Other headers: whole lines with a colon, which base64 never has.
    private static func dropHeaders(_ rest: inout ArraySlice<UInt8>) {
        while let colon = rest.prefix(1_024).firstIndex(of: UInt8(ascii: ":")),
            let end = rest[colon...].firstIndex(where: { $0 == 0x0A || $0 == 0x0D })
        {
            rest = rest[end...]
        }
    }

    private static func compact(_ label: ArraySlice<UInt8>) -> String {
        String(
            decoding: label.filter { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") },
            as: UTF8.self)
    }

    // MARK: - Searching

    private static let begin = Array("-----BEGIN".utf8)
    private static let end = Array("-----END".utf8)
    private static let dashes = Array("-----".utf8)

    private static func find(_ pattern: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        start <= bytes.count ? find(pattern, in: bytes[start...]) : nil
    }

    private static func find(_ pattern: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        var rest = bytes
        while let index = rest.firstIndex(of: pattern[0]) {
            if bytes[index...].starts(with: pattern) { return index }
            rest = rest[(index + 1)...]
        }
        return nil
    }
}
