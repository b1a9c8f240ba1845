import FoundationEssentials

/// Any JSON, looked into by key and by place.
///
/// What is absent is ``null``, so that a wrong guess fails an expectation and not the test.
enum JSON: Sendable, Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    /// Reads one value; throws where the bytes are not JSON.
    init(_ bytes: [UInt8]) throws {
        self = try JSONDecoder().decode(JSON.self, from: Data(bytes))
    }

    /// Reads JSON lines, one value each.
    static func lines(_ bytes: [UInt8]) throws -> [JSON] {
        try bytes.split(separator: UInt8(ascii: "\n")).map { try JSON(Array($0)) }
    }

    subscript(_ key: String) -> JSON {
        guard case .object(let members) = self else { return .null }
        return members[key] ?? .null
    }

    subscript(_ index: Int) -> JSON {
        elements.indices.contains(index) ? elements[index] : .null
    }

    /// Those of an array; none otherwise.
    var elements: [JSON] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    var number: Int? {
        guard case .number(let number) = self else { return nil }
        return Int(exactly: number)
    }

    var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }
}

extension JSON: Decodable {
    init(from decoder: any Decoder) throws {
        let box = try decoder.singleValueContainer()
        if box.decodeNil() {
            self = .null
        } else if let value = try? box.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? box.decode(Double.self) {
            self = .number(value)
        } else if let value = try? box.decode(String.self) {
            self = .string(value)
        } else if let value = try? box.decode([JSON].self) {
            self = .array(value)
        } else {
            self = .object(try box.decode([String: JSON].self))
        }
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int) { self = .number(Double(value)) }
}

extension JSON: CustomStringConvertible {
    /// Nearly JSON again, for a test's message.
    var description: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let number): Int(exactly: number).map { "\($0)" } ?? "\(number)"
        case .string(let text): text.count > 200 ? "\"\(text.prefix(200))…\"" : "\"\(text)\""
        case .array(let elements):
            "[\(elements.map(\.description).joined(separator: ","))]"
        case .object(let members):
            "{\(members.sorted { $0.key < $1.key }.map { "\($0): \($1)" }.joined(separator: ", "))}"
        }
    }
}
