import FoundationEssentials
import Merchants

/// The description of the HTTP API (OpenAPI 3.1), made from the table that routes and checks calls.
enum OpenAPIDocument {
    /// The document of `calls`, with sorted keys.
    static func bytes(of calls: [Call], version: String) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // A tree of strings and numbers cannot fail to encode.
        return (try? Array(encoder.encode(value(of: calls, version: version)))) ?? []
    }

    private static func value(of calls: [Call], version: String) -> JSONValue {
        var paths: [JSONValue.Member] = []
        for path in calls.map(\.path) where !paths.contains(where: { $0.key == path }) {
            let operations = calls.filter { $0.path == path }.map { call in
                JSONValue.Member(call.method.lowercased(), operation(call))
            }
            paths.append(.init(path, .object(operations)))
        }
        return .object([
            .init("openapi", "3.1.0"),
            .init(
                "info",
                .object([
                    .init("title", "Purser"), .init("version", .string(version)),
                    .init(
                        "description",
                        .string(
                            "Merchant sessions for Apple Pay on the web, and the merchants and "
                                + "certificates behind them.")),
                ])),
            .init("servers", .array([.object([.init("url", "/")])])),
            .init("paths", .object(paths)),
            .init(
                "components",
                .object([
                    .init(
                        "schemas",
                        .object(NamedSchemas.all.map { .init($0.name, $0.schema.json) })),
                    .init(
                        "securitySchemes",
                        .object([
                            .init(
                                "token",
                                .object([
                                    .init("type", "http"), .init("scheme", "bearer"),
                                    .init(
                                        "description",
                                        "An API token: purser api-token create --role ROLE"),
                                ]))
                        ])),
                ])),
        ])
    }

    private static func operation(_ call: Call) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("operationId", .string(name(of: call))),
            .init("summary", .string(call.summary)), .init("description", .string(who(call.rule))),
            .init("security", security(call.rule)), .init("responses", responses(call)),
        ]
        let parameters =
            names(in: call.path).map { name -> JSONValue in
                parameter(
                    name, in: "path", nameSchema(name, call.path), summary: nil, isRequired: true)
            }
            + call.parameters.map {
                parameter($0.name, in: "query", $0.schema, summary: $0.summary, isRequired: false)
            }
        if !parameters.isEmpty { members.append(.init("parameters", .array(parameters))) }
        if let body = call.body {
            members.append(
                .init(
                    "requestBody",
                    .object([
                        .init("required", .bool(body.isRequired)),
                        .init(
                            "content",
                            content("application/json", .object(body.properties))),
                    ])))
        }
        return .object(members)
    }

    private static func who(_ rule: AccessRule) -> String {
        switch rule {
        case .everybody: "Open everywhere."
        case .localOr(let role):
            "Open to callers on the machine itself; elsewhere a token with the role "
                + "\(role.rawValue)."
        case .role(let role): "A token with the role \(role.rawValue)."
        }
    }

    private static func security(_ rule: AccessRule) -> JSONValue {
        let token = JSONValue.object([.init("token", .array([]))])
        return switch rule {
        case .everybody: .array([])
        case .localOr: .array([.object([]), token])
        case .role: .array([token])
        }
    }

    private static func responses(_ call: Call) -> JSONValue {
        var responses = call.answers.map { answer in
            var members: [JSONValue.Member] = [
                .init("description", .string(answer.summary)),
                .init("headers", headers(call.parameters.isEmpty ? [] : [link])),
            ]
            if let (type, schema) = answer.content {
                members.append(.init("content", content(type, schema)))
            }
            return JSONValue.Member("\(answer.status)", .object(members))
        }
        responses.append(
            .init(
                "default",
                .object([
                    .init("description", "What went wrong, and what to do (RFC 9457)."),
                    .init("headers", headers(ofProblems)),
                    .init("content", content("application/problem+json", .named("Problem"))),
                ])))
        return .object(responses)
    }

    private static let link = Schema.Property.optional(
        "Link", .string(Schema.Words(pattern: #"^</[^>]*>; rel="next"$"#)),
        "The page behind this one, where there is one.")

    private static let ofProblems: [Schema.Property] = [
        .optional("Retry-After", .integer(1...3_600), "With 429 and 503: in how many seconds."),
        .optional(
            "WWW-Authenticate", .string(Schema.Words(pattern: "^Bearer ")),
            "With 401, and with 403 where another role would help (RFC 6750)."),
        .optional("Allow", .string(), "With 405: what the path takes."),
    ]

    /// Headers of an answer beside the id that all have.
    private static func headers(_ further: [Schema.Property]) -> JSONValue {
        let id = Schema.Property(
            "X-Request-Id", .string(Schema.Words(pattern: "^[0-9a-f]{16}$")),
            "What the service's log has it by.")
        return .object(
            ([id] + further).map { header in
                JSONValue.Member(
                    header.name,
                    .object([
                        .init("description", .string(header.summary ?? "")),
                        .init("required", .bool(header.isRequired)),
                        .init("schema", header.schema.json),
                    ]))
            })
    }

    private static func content(_ type: String, _ schema: Schema) -> JSONValue {
        .object([.init(type, .object([.init("schema", schema.json)]))])
    }

    private static func parameter(
        _ name: String, in place: String, _ schema: Schema, summary: String?, isRequired: Bool
    ) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("name", .string(name)), .init("in", .string(place)),
            .init("required", .bool(isRequired)), .init("schema", schema.json),
        ]
        if let summary { members.append(.init("description", .string(summary))) }
        return .object(members)
    }

    /// The names in braces of a path.
    private static func names(in path: String) -> [String] {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.map {
            String($0.dropFirst().dropLast())
        }
    }

    private static func nameSchema(_ name: String, _ path: String) -> Schema {
        switch name {
        case "domain": .domain
        default: path.hasPrefix("/v1/certificates/") ? .credential : .merchant
        }
    }

    /// Such as `getMerchantsByIdCertificates`.
    private static func name(of call: Call) -> String {
        let segments = call.path.split(separator: "/").filter { $0 != "v1" }
        let words = segments.flatMap { segment -> [Substring] in
            let words = segment.split { !$0.isLetter }
            return segment.hasPrefix("{") ? ["by"] + words : words
        }
        return call.method.lowercased()
            + words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}

extension JSONValue: Encodable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(_ text: String) { stringValue = text }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let members):
            var object = encoder.container(keyedBy: Key.self)
            for member in members { try object.encode(member.value, forKey: Key(member.key)) }
        case .array(let values):
            var array = encoder.unkeyedContainer()
            for value in values { try array.encode(value) }
        case .string(let text): try single(text, encoder)
        case .integer(let number): try single(number, encoder)
        case .bool(let flag): try single(flag, encoder)
        case .null:
            var value = encoder.singleValueContainer()
            try value.encodeNil()
        }
    }

    private func single(_ value: some Encodable, _ encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}
