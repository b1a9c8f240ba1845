/// A piece of SQL that comes from this program's source, never from data.
///
/// Only literals make one, and only other pieces can be put into one by interpolation, so that
/// text from outside cannot become SQL: it is bound as a ``Value``.
package struct SQL: Sendable, Hashable, ExpressibleByStringInterpolation {
    let text: String

    package init(stringLiteral literal: String) {
        text = literal
    }

    package init(stringInterpolation parts: Interpolation) {
        text = parts.text
    }

    /// Puts pieces of SQL together; there is no way to add a plain string.
    package struct Interpolation: Sendable, StringInterpolationProtocol {
        fileprivate var text: String

        package init(literalCapacity: Int, interpolationCount: Int) {
            text = ""
            text.reserveCapacity(literalCapacity * 2)
        }

        package mutating func appendLiteral(_ literal: String) {
            text += literal
        }

        /// Adds another piece, such as a list of columns.
        package mutating func appendInterpolation(_ piece: SQL) {
            text += piece.text
        }
    }
}
