internal import Secrets

/// The byte strings that one password may have been, in the order in which they are tried.
///
/// A password typed as `Grüße` was UTF-8 for some tools and Latin-1 for others, and old OpenSSL
/// took the bytes of the one for characters of the other. An empty password is one of two things in
/// PKCS#12: no bytes, or an empty string with its terminator.
struct PasswordSpellings {
    /// Nil is PKCS#12's "no password".
    let all: [SecretBytes?]

    init(_ passwords: [SecretBytes]) {
        var all: [SecretBytes?] = []
        for password in passwords where password.count > 0 {
            all.append(password)
            let isASCII = unsafe password.withUnsafeBytes { unsafe $0.allSatisfy { $0 < 0x80 } }
            guard !isASCII else { continue }
            all.append(Self.widened(password))
            if let narrowed = Self.narrowed(password) { all.append(narrowed) }
        }
        if passwords.isEmpty || passwords.contains(where: { $0.count == 0 }) {
            all += [SecretBytes(copying: []), nil]
        }
        self.all = all
    }

    /// Each byte taken for a character of Latin-1, written as UTF-8.
    private static func widened(_ password: SecretBytes) -> SecretBytes {
        unsafe password.withUnsafeBytes { input in
            let count = unsafe input.reduce(0) { $0 + ($1 < 0x80 ? 1 : 2) }
            return unsafe SecretBytes(count: count) { output in
                var position = 0
                for index in 0..<input.count {
                    let byte = unsafe input[index]
                    if byte < 0x80 {
                        unsafe output[position] = byte
                        position += 1
                    } else {
                        unsafe output[position] = 0xC0 | byte >> 6
                        unsafe output[position + 1] = 0x80 | byte & 0x3F
                        position += 2
                    }
                }
            }
        }
    }

    /// UTF-8 of Latin-1's characters, as Latin-1; nil for anything else.
    private static func narrowed(_ password: SecretBytes) -> SecretBytes? {
        unsafe password.withUnsafeBytes { input in
            var isNarrow = true
            var count = 0
            var index = 0
            while index < input.count, isNarrow {
                let byte = unsafe input[index]
                if byte >= 0x80 {
                    // Two bytes, C2 or C3 first, are U+0080 to U+00FF.
                    isNarrow =
                        unsafe (byte == 0xC2 || byte == 0xC3) && index + 1 < input.count
                        && input[index + 1] & 0xC0 == 0x80
                    index += 1
                }
                index += 1
                count += 1
            }
            guard isNarrow else { return nil }
            return unsafe SecretBytes(count: count) { output in
                var index = 0
                for position in 0..<count {
                    let byte = unsafe input[index]
                    if byte < 0x80 {
                        unsafe output[position] = byte
                    } else {
                        unsafe output[position] = byte << 6 | input[index + 1] & 0x3F
                        index += 1
                    }
                    index += 1
                }
            }
        }
    }

    /// Lends a spelling as OpenSSL takes it: its bytes and their number.
    static func lend<Result, Failure: Error>(
        _ spelling: SecretBytes?,
        _ body: (UnsafePointer<CChar>?, Int32) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let spelling else { return try body(nil, 0) }
        return try unsafe spelling.withUnsafeBytes { buffer throws(Failure) in
            try unsafe body(
                buffer.bindMemory(to: CChar.self).baseAddress, Int32(buffer.count))
        }
    }
}
