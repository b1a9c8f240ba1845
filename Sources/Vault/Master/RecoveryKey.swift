import PKI
package import Secrets

/// An unlocker on paper: 256 random bits, written so that a person can type them again.
///
/// 56 characters of Crockford's base 32 in 14 groups of four: the 32 bytes, and three of a checksum
/// (HMAC-SHA256 under a label that is no secret), by which a slip is found before anything is tried.
package struct RecoveryKey: Sendable {
    private let bytes: SecretBytes

    /// What it opens a home as.
    package var secret: UnlockSecret { .recoveryKey(bytes) }

    private init(bytes: SecretBytes) {
        self.bytes = bytes
    }

    package static func random() -> RecoveryKey { RecoveryKey(bytes: .random(count: length)) }

    /// Reads what was written: capital or small letters, with or without blanks and hyphens, O for
    /// 0 and I or L for 1.
    ///
    /// - Throws: ``VaultError/recoveryKeyMistyped(_:)``.
    package init(reading text: SecretBytes) throws(VaultError) {
        var symbols = [UInt8]()
        symbols.reserveCapacity(text.count)
        defer { wipe(&symbols) }
        let isClean = text.withUnsafeBytes { characters in
            for character in characters where !Self.isPassedOver(character) {
                guard let symbol = Self.value(of: character) else { return false }
                symbols.append(symbol)
            }
            return true
        }
        guard isClean else { throw .recoveryKeyMistyped("a character is none of its alphabet") }
        guard symbols.count == Self.symbolCount else {
            throw .recoveryKeyMistyped(
                "it has \(symbols.count) characters, not \(Self.symbolCount)")
        }
        let all = SecretBytes(count: Self.length + Self.checkLength) { target in
            for (index, symbol) in symbols.enumerated() {
                for bit in 0..<5 where symbol & (16 >> bit) != 0 {
                    let place = index * 5 + bit
                    target[place / 8] |= 128 >> (place % 8)
                }
            }
        }
        bytes = all.slice(0..<Self.length)
        let told = all.slice(Self.length..<all.count).withUnsafeBytes { Array($0) }
        guard told == Self.check(bytes) else {
            throw .recoveryKeyMistyped("its checksum does not fit")
        }
    }

    /// How it is written: `XXXX-XXXX-…`, without a line end.
    package var text: SecretBytes {
        let check = Self.check(bytes)
        return bytes.withUnsafeBytes { bytes in
            func bit(_ place: Int) -> UInt8 {
                let byte =
                    place / 8 < Self.length ? bytes[place / 8] : check[place / 8 - Self.length]
                return byte >> (7 - place % 8) & 1
            }
            return SecretBytes(count: Self.symbolCount / 4 * 5 - 1) { target in
                var position = 0
                for index in 0..<Self.symbolCount {
                    if index > 0, index % 4 == 0 {
                        target[position] = UInt8(ascii: "-")
                        position += 1
                    }
                    let symbol = (0..<5).reduce(0) { $0 << 1 | Int(bit(index * 5 + $1)) }
                    target[position] = Self.alphabet[symbol]
                    position += 1
                }
            }
        }
    }

    private static let length = 32
    private static let checkLength = 3
    private static let symbolCount = 56
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    private static func check(_ bytes: SecretBytes) -> [UInt8] {
        let label = SecretBytes(copying: Array("purser recovery key".utf8))
        var copy = bytes.withUnsafeBytes { Array($0) }
        defer { wipe(&copy) }
        return Array(HMACSHA256.authenticate(copy, key: label).prefix(checkLength))
    }

    private static func isPassedOver(_ character: UInt8) -> Bool {
        [UInt8(ascii: " "), UInt8(ascii: "-"), 9, 10, 13].contains(character)
    }

    private static func value(of character: UInt8) -> UInt8? {
        let isSmall = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(character)
        switch isSmall ? character - 32 : character {
        case UInt8(ascii: "O"): return 0
        case UInt8(ascii: "I"), UInt8(ascii: "L"): return 1
        case let capital: return alphabet.firstIndex(of: capital).map { UInt8($0) }
        }
    }
}
