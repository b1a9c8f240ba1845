/// JSON as it was written, before anything is known about its meaning.
enum JSONValue: Equatable {
    case null
    case boolean(Bool)
    case integer(Int)
    /// Any number that is no `Int`.
    case number(Double)
    case text(String)
    case array([JSONValue])
    case object([Field])

    /// One entry of an object; no two of one object have the same key.
    struct Field: Equatable {
        let key: String
        let value: JSONValue
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
}
