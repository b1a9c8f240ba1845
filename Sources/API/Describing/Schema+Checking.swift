extension Schema {
    /// Checks a value that a caller sent under `key`.
    ///
    /// Types, lengths and closed lists are checked; what a string must look like is left to the types
    /// that it becomes, which tell what is wrong with it.
    ///
    /// - Throws: ``RequestError`` naming the key.
    func check(_ value: JSONValue, under key: String) throws(RequestError) {
        switch (self, value) {
        case (.string(let words), .string(let text)):
            guard let length = words.length else { return }
            guard length.contains(text.unicodeScalars.count) else {
                throw .badValue(
                    key, expected: "of \(length.lowerBound) to \(length.upperBound) characters")
            }
        case (.choice(let words), .string(let text)):
            guard words.contains(text) else {
                throw .badValue(key, expected: "one of \(words.joined(separator: ", "))")
            }
        case (.integer(let range), .integer(let number)):
            guard let range, !range.contains(number) else { return }
            throw .badValue(
                key, expected: "a number from \(range.lowerBound) to \(range.upperBound)")
        case (.boolean, .bool), (.anyObject, .object): return
        case (.array(let element, let most), .array(let values)):
            guard values.count <= most ?? .max else {
                throw .badValue(key, expected: "an array of at most \(most ?? 0)")
            }
            for value in values { try element.check(value, under: key) }
        case (.object(let properties), .object(let members)):
            try Self.check(members, against: properties)
        case (.texts, .object(let members)):
            for member in members { try Schema.string().check(member.value, under: member.key) }
        case (.orNull(let schema), _):
            if value != .null { try schema.check(value, under: key) }
        default: throw .wrongType(key, expected: expectation)
        }
    }

    /// Checks the keys of an object and their values.
    ///
    /// - Throws: ``RequestError`` for an unknown key, then for a wrong value, then for a missing key.
    static func check(
        _ members: [JSONValue.Member], against properties: [Property]
    ) throws(RequestError) {
        for member in members {
            guard let property = properties.first(where: { $0.name == member.key }) else {
                throw .unknownKey(member.key)
            }
            try property.schema.check(member.value, under: member.key)
        }
        for property in properties where property.isRequired {
            guard members.contains(where: { $0.key == property.name }) else {
                throw .missingKey(property.name)
            }
        }
    }

    private var expectation: String {
        switch self {
        case .string, .choice: "a string"
        case .integer: "a whole number"
        case .boolean: "true or false"
        case .array(.string, _), .array(.choice, _): "an array of strings"
        case .array: "an array"
        case .object, .texts, .named, .anyObject: "an object"
        case .orNull(let schema): "\(schema.expectation) or null"
        }
    }
}
