/// The shape of a JSON value: what a call takes is checked by it, and `/openapi.json` shows it, so that
/// the two cannot differ (JSON Schema 2020-12, as OpenAPI 3.1 uses it).
indirect enum Schema: Sendable {
    /// A string; `format` and `pattern` are shown, and what they promise the domain's own types check.
    case string(Words = Words())
    /// One of these words.
    case choice([String])
    case integer(ClosedRange<Int64>? = nil)
    case boolean
    case array(Schema, upTo: Int? = nil)
    case object([Property])
    /// Any object whose values are strings.
    case texts
    /// A shape that has a name of its own in the document.
    case named(String)
    /// That or null.
    case orNull(Schema)
    /// Whatever JSON; for what is somebody else's and opaque.
    case anyObject

    /// What can be said of a string.
    struct Words: Sendable {
        var format: String?
        var pattern: String?
        var length: ClosedRange<Int>?
        var example: String?
    }

    /// A key of an object.
    struct Property: Sendable {
        let name: String
        let schema: Schema
        let isRequired: Bool
        let summary: String?

        init(_ name: String, _ schema: Schema, _ summary: String? = nil, isRequired: Bool = true) {
            self.name = name
            self.schema = schema
            self.isRequired = isRequired
            self.summary = summary
        }

        /// One that may be left out.
        static func optional(
            _ name: String, _ schema: Schema, _ summary: String? = nil
        ) -> Property {
            Property(name, schema, summary, isRequired: false)
        }
    }

    // Those that stand in many places. Their types say best what is wrong with one.
    static let time = Schema.string(Words(format: "date-time"))
    static let merchant = Schema.string(
        Words(
            pattern: #"^merchant(\.[A-Za-z0-9-]+)+$"#, example: "merchant.com.example.shop"))
    static let credential = Schema.string(
        Words(pattern: "^[0-9a-f]{12}$", example: "7f3a9c01be42"))
    static let domain = Schema.string(Words(example: "shop.example.com"))
    static let environment = Schema.string(
        Words(pattern: "^[a-z][a-z0-9-]{0,63}$", example: "production"))
}

// MARK: - As JSON

extension Schema {
    /// The schema as JSON Schema.
    var json: JSONValue {
        switch self {
        case .string(let words):
            var members: [JSONValue.Member] = [.init("type", "string")]
            if let format = words.format { members.append(.init("format", .string(format))) }
            if let pattern = words.pattern { members.append(.init("pattern", .string(pattern))) }
            if let length = words.length {
                members.append(.init("minLength", .integer(Int64(length.lowerBound))))
                members.append(.init("maxLength", .integer(Int64(length.upperBound))))
            }
            if let example = words.example {
                members.append(.init("examples", .array([.string(example)])))
            }
            return .object(members)
        case .choice(let words):
            return .object([
                .init("type", "string"), .init("enum", .array(words.map { .string($0) })),
            ])
        case .integer(let range):
            var members: [JSONValue.Member] = [.init("type", "integer")]
            if let range {
                members.append(.init("minimum", .integer(range.lowerBound)))
                members.append(.init("maximum", .integer(range.upperBound)))
            }
            return .object(members)
        case .boolean: return .object([.init("type", "boolean")])
        case .array(let element, let most):
            var members: [JSONValue.Member] = [
                .init("type", "array"), .init("items", element.json),
            ]
            if let most { members.append(.init("maxItems", .integer(Int64(most)))) }
            return .object(members)
        case .object(let properties):
            return .object([
                .init("type", "object"),
                .init("properties", .object(properties.map { .init($0.name, $0.json) })),
                .init(
                    "required",
                    .array(properties.filter(\.isRequired).map { .string($0.name) })),
                .init("additionalProperties", .bool(false)),
            ])
        case .texts:
            return .object([
                .init("type", "object"),
                .init("additionalProperties", .object([.init("type", "string")])),
            ])
        case .named(let name):
            return .object([.init("$ref", .string("#/components/schemas/\(name)"))])
        case .orNull(let schema):
            return .object([
                .init("anyOf", .array([schema.json, .object([.init("type", "null")])]))
            ])
        case .anyObject: return .object([.init("type", "object")])
        }
    }
}

extension Schema.Property {
    fileprivate var json: JSONValue {
        guard let summary, case .object(let members) = schema.json else { return schema.json }
        return .object(members + [.init("description", .string(summary))])
    }
}

extension JSONValue: ExpressibleByStringLiteral {
    init(stringLiteral value: String) { self = .string(value) }
}

extension JSONValue.Member {
    init(_ key: String, _ value: JSONValue) {
        self.init(key: key, value: value)
    }
}
