/// A JSON value as it was read, an object's members in their order.
enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    /// A number that is whole and fits; others are refused when they are read.
    case integer(Int64)
    case string(String)
    case array([JSONValue])
    case object([Member])

    struct Member: Sendable, Equatable {
        let key: String
        let value: JSONValue
    }

    /// With its article, for messages.
    var name: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .integer: "a whole number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// Reads any JSON object, more strictly than a general decoder: a key twice in one object is refused by
/// name, and so are numbers with a fraction or an exponent, which no call takes.
struct StrictJSON {
    /// No call takes more than an object in an object in an array.
    static let deepest = 16

    private static let few = 16

    private var scanner: JSONScanner

    /// The object in `bytes`.
    ///
    /// - Throws: ``RequestError`` naming the key or the place.
    static func object(in bytes: [UInt8]) throws(RequestError) -> [JSONValue.Member] {
        var reader = StrictJSON(scanner: JSONScanner(bytes))
        reader.scanner.skipBlanks()
        guard reader.scanner.peek() == UInt8(ascii: "{") else {
            throw .malformed(at: reader.scanner.index)
        }
        let value = try reader.value(depth: 1)
        try reader.scanner.end()
        guard case .object(let members) = value else { throw .malformed(at: 0) }
        return members
    }

    private mutating func value(depth: Int) throws(RequestError) -> JSONValue {
        guard depth <= Self.deepest else { throw .tooDeep }
        switch scanner.peek() {
        case UInt8(ascii: "{"): return .object(try members(depth: depth))
        case UInt8(ascii: "["): return .array(try elements(depth: depth))
        case UInt8(ascii: "\""): return .string(try scanner.string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .integer(try integer())
        }
    }

    private mutating func members(depth: Int) throws(RequestError) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        // To look through a few costs less than to hash them; of many, each must be found at once.
        var seen: Set<String>?
        try scanner.expect(UInt8(ascii: "{"))
        scanner.skipBlanks()
        if scanner.take(UInt8(ascii: "}")) { return [] }
        members.reserveCapacity(4)
        repeat {
            scanner.skipBlanks()
            let key = try scanner.string()
            if seen == nil, members.count == Self.few { seen = Set(members.map(\.key)) }
            let isNew = seen?.insert(key).inserted ?? !members.contains { $0.key == key }
            guard isNew else { throw .duplicateKey(key) }
            scanner.skipBlanks()
            try scanner.expect(UInt8(ascii: ":"))
            scanner.skipBlanks()
            members.append(JSONValue.Member(key: key, value: try value(depth: depth + 1)))
            scanner.skipBlanks()
        } while scanner.take(UInt8(ascii: ","))
        try scanner.expect(UInt8(ascii: "}"))
        return members
    }

    private mutating func elements(depth: Int) throws(RequestError) -> [JSONValue] {
        var elements: [JSONValue] = []
        try scanner.expect(UInt8(ascii: "["))
        scanner.skipBlanks()
        if scanner.take(UInt8(ascii: "]")) { return [] }
        repeat {
            scanner.skipBlanks()
            elements.append(try value(depth: depth + 1))
            scanner.skipBlanks()
        } while scanner.take(UInt8(ascii: ","))
        try scanner.expect(UInt8(ascii: "]"))
        return elements
    }

    private mutating func word(
        _ word: StaticString, _ value: JSONValue
    ) throws(RequestError) -> JSONValue {
        for index in 0..<word.utf8CodeUnitCount {
            try scanner.expect(word.withUTF8Buffer { $0[index] })
        }
        return value
    }

    /// A number without a fraction and an exponent, and without zeros before it (RFC 8259 §6).
    private mutating func integer() throws(RequestError) -> Int64 {
        let start = scanner.index
        let isNegative = scanner.take(UInt8(ascii: "-"))
        var digits: [UInt8] = []
        while let byte = scanner.peek(), (0x30...0x39).contains(byte), digits.count < 20 {
            digits.append(byte)
            _ = scanner.take(byte)
        }
        guard let first = digits.first, first != UInt8(ascii: "0") || digits.count == 1,
            let number = Int64((isNegative ? "-" : "") + String(decoding: digits, as: UTF8.self))
        else { throw .malformed(at: start) }
        return number
    }
}
