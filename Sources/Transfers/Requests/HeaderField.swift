/// One header of a request or an answer.
package struct HeaderField: Sendable, Equatable {
    /// As written; compare it with ``isNamed(_:)``.
    package var name: String
    /// Without blanks around it.
    package var value: String

    /// Checked when the request is sent: the name must be a token, the value without controls.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Whether this is the header called `other`; case does not count (RFC 9110 §5.1).
    package func isNamed(_ other: String) -> Bool {
        name.utf8.count == other.utf8.count && name.lowercased() == other.lowercased()
    }
}
