/// A setting's value as `config show` prints it.
package enum SettingValue: Sendable, Equatable {
    case integer(Int)
    case text(String)
    case list([String])
    /// Not set, and without a default.
    case none
}

extension SettingValue: CustomStringConvertible {
    /// For a terminal: lists with commas, `-` for what is not set.
    package var description: String {
        switch self {
        case .integer(let number): "\(number)"
        case .text(let text): text
        case .list(let texts): texts.joined(separator: ",")
        case .none: "-"
        }
    }
}

extension SettingValue: Encodable {
    /// For JSON: a number, a string, an array or null.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .integer(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .list(let texts): try container.encode(texts)
        case .none: try container.encodeNil()
        }
    }
}
