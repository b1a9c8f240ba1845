/// Header fields in their order; names are compared without regard to case (RFC 9110 §5.1).
package struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
    /// All fields, as they came or as they will be sent.
    package private(set) var fields: [(name: String, value: String)] = []

    /// No fields.
    package init() {}

    package init(dictionaryLiteral elements: (String, String)...) {
        // The server and the API add a few.
        fields.reserveCapacity(elements.count + 3)
        for (name, value) in elements { fields.append((name, value)) }
    }

    /// The first value of the field `name`; nil when there is none.
    package subscript(name: String) -> String? {
        // By indices here and below: a loop over the fields would hold each while it looks at it.
        for index in fields.indices where Self.isSame(fields[index].name, name) {
            return fields[index].value
        }
        return nil
    }

    /// All values of the field `name`, in order; a field that may stand once only is seen to be twice.
    package func values(of name: String) -> [String] {
        var values: [String] = []
        for index in fields.indices where Self.isSame(fields[index].name, name) {
            values.append(fields[index].value)
        }
        return values
    }

    /// Appends a field, beside others of the same name.
    package mutating func add(_ name: String, _ value: String) {
        fields.append((name, value))
    }

    /// Makes `value` the only value of the field `name`.
    package mutating func set(_ name: String, _ value: String) {
        fields.removeAll { Self.isSame($0.name, name) }
        fields.append((name, value))
    }

    mutating func reserve(_ count: Int) {
        fields.reserveCapacity(count)
    }

    /// Whether two fields' names are the same, without regard to case.
    package static func isSame(_ one: String, _ other: String) -> Bool {
        guard one.utf8.count == other.utf8.count else { return false }
        let (one, other) = (one.utf8.span, other.utf8.span)
        for index in one.indices where lowercase(one[index]) != lowercase(other[index]) {
            return false
        }
        return true
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }
}
