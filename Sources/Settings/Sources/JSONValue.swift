import FoundationEssentials

/// JSON as it was written, before anything is known about its meaning.
enum JSONValue: Equatable {
    case null
    case boolean(Bool)
    case integer(Int)
    case number(Double)
    case text(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Reads JSON5: comments, trailing commas, bare keys.
    ///
    /// - Throws: ``Malformed``.
    init(json5 bytes: [UInt8]) throws(Malformed) {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        do {
            self = try decoder.decode(JSONValue.self, from: Data(bytes))
        } catch {
            throw Malformed(line: Self.line(in: "\(error)"))
        }
    }

    /// The text is not JSON5.
    struct Malformed: Error, Equatable {
        /// The line at which reading stopped, when the decoder told.
        let line: Int?
    }

    /// What to call a value of this sort in a message.
    var sort: String {
        switch self {
        case .null: "null"
        case .boolean: "true or false"
        case .integer, .number: "a number"
        case .text: "a string"
        case .array: "a list"
        case .object: "an object"
        }
    }

    // The decoder keeps its error type to itself; its text says "… around line 3, column 4."
    private static func line(in description: String) -> Int? {
        description.firstMatch(of: /line ([0-9]+)/).flatMap { Int($0.1) }
    }
}

extension JSONValue: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }
}
