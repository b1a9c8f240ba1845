/// What a parameter of a statement is bound to.
package enum Value: Sendable, Hashable {
    case null
    case integer(Int64)
    /// UTF-8; may hold NUL characters.
    case text(String)
    case blob([UInt8])

    /// An integer, or NULL for nil.
    package init(_ integer: Int64?) {
        self = integer.map(Value.integer) ?? .null
    }

    /// A text, or NULL for nil.
    package init(_ text: String?) {
        self = text.map(Value.text) ?? .null
    }

    /// A blob, or NULL for nil.
    package init(_ blob: [UInt8]?) {
        self = blob.map(Value.blob) ?? .null
    }

    /// 1 or 0, which is how our tables keep a truth value.
    package init(_ truth: Bool) {
        self = .integer(truth ? 1 : 0)
    }
}

// MARK: - Literals

extension Value: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByNilLiteral {
    package init(integerLiteral value: Int64) { self = .integer(value) }

    package init(stringLiteral value: String) { self = .text(value) }

    package init(nilLiteral: ()) { self = .null }
}
