/// Reads JSON5 (json5.org): comments, trailing commas, bare keys, single quotes, hex numbers.
///
/// Our own, because the decoder of FoundationEssentials says neither where it stopped nor that a key
/// is there twice. Bare keys are ASCII; keys with other letters are written in quotes.
struct JSON5Reader {
    /// The text is not JSON5.
    struct Malformed: Error, Equatable {
        /// The line at which reading stopped, from 1.
        let line: Int
        /// What is wrong there; none of the text is repeated.
        let what: String
    }

    let bytes: [UInt8]
    var at = 0
    private var depth = 0

    /// Deeper nesting is refused, so that no file can exhaust the stack.
    private static let maximumDepth = 32

    /// Reads one value and expects nothing after it.
    ///
    /// - Throws: ``Malformed``.
    static func read(_ bytes: [UInt8]) throws(Malformed) -> JSONValue {
        var reader = JSON5Reader(bytes: bytes)
        let value = try reader.value()
        try reader.skipBlanks()
        guard reader.peek == nil else { throw reader.malformed("something follows the last brace") }
        return value
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    var peek: UInt8? { at < bytes.count ? bytes[at] : nil }

    func malformed(_ what: String) -> Malformed {
        Malformed(
            line: 1 + bytes[..<min(at, bytes.count)].count { $0 == UInt8(ascii: "\n") }, what: what)
    }

    mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        at += 1
        return true
    }

    mutating func take(_ word: String) -> Bool {
        guard bytes[at...].starts(with: word.utf8) else { return false }
        at += word.utf8.count
        return true
    }

    /// Passes over white space and comments.
    private mutating func skipBlanks() throws(Malformed) {
        while let byte = peek {
            switch byte {
            case 0x09...0x0D, 0x20: at += 1
            case UInt8(ascii: "/"):
                if take("//") {
                    while let next = peek, next != 0x0A, next != 0x0D { at += 1 }
                } else if take("/*") {
                    while !take("*/") {
                        guard peek != nil else { throw malformed("a comment does not end") }
                        at += 1
                    }
                } else {
                    throw malformed("a single slash is no comment")
                }
            default:
                // A no-break space or a byte order mark.
                guard take("\u{A0}") || take("\u{FEFF}") else { return }
            }
        }
    }
}

// MARK: - Values

extension JSON5Reader {
    private mutating func value() throws(Malformed) -> JSONValue {
        try skipBlanks()
        switch peek {
        case UInt8(ascii: "{"): return .object(try fields())
        case UInt8(ascii: "["): return .array(try elements())
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return .text(try string())
        case nil: throw malformed("it ends too early")
        default: break
        }
        let word = self.word()
        switch word {
        case "null": return .null
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        default: break
        }
        guard let number = JSON5Number.read(word) else {
            at -= word.utf8.count
            throw malformed("a value is missing, or a string has no quotes")
        }
        return number
    }

    /// What stands up to the next blank or punctuation mark.
    private mutating func word() -> String {
        let start = at
        while let byte = peek, Self.isWordByte(byte) { at += 1 }
        return String(decoding: bytes[start..<at], as: UTF8.self)
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "$"),
            UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    private mutating func elements() throws(Malformed) -> [JSONValue] {
        var elements: [JSONValue] = []
        try list(endingWith: UInt8(ascii: "]")) { reader throws(Malformed) in
            elements.append(try reader.value())
        }
        return elements
    }

    private mutating func fields() throws(Malformed) -> [JSONValue.Field] {
        var fields: [JSONValue.Field] = []
        try list(endingWith: UInt8(ascii: "}")) { reader throws(Malformed) in
            let key = try reader.key()
            guard !fields.contains(where: { $0.key == key }) else {
                throw reader.malformed("a key is there twice")
            }
            try reader.skipBlanks()
            guard reader.take(UInt8(ascii: ":")) else {
                throw reader.malformed("a colon is missing after a key")
            }
            fields.append(.init(key: key, value: try reader.value()))
        }
        return fields
    }

    /// Reads what stands between the bracket at hand and `end`, separated by commas.
    private mutating func list(
        endingWith end: UInt8, _ readOne: (inout JSON5Reader) throws(Malformed) -> Void
    ) throws(Malformed) {
        guard depth < Self.maximumDepth else { throw malformed("it is nested too deeply") }
        depth += 1
        defer { depth -= 1 }
        at += 1
        while true {
            try skipBlanks()
            if take(end) { return }
            try readOne(&self)
            try skipBlanks()
            if take(end) { return }
            guard take(UInt8(ascii: ",")) else { throw malformed("a comma or bracket is missing") }
        }
    }

    private mutating func key() throws(Malformed) -> String {
        if peek == UInt8(ascii: "\"") || peek == UInt8(ascii: "'") { return try string() }
        let key = word()
        guard let first = key.utf8.first, !(0x30...0x39).contains(first),
            !key.utf8.contains(where: { [0x2B, 0x2D, 0x2E].contains($0) })
        else {
            at -= key.utf8.count
            throw malformed("a key is missing, or needs quotes")
        }
        return key
    }
}
