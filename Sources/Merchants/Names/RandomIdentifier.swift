/// A record's name on the command line and in the API: 12 lower-case hex digits drawn at random.
///
/// Short enough to be typed, and with 48 bits unlikely to be drawn twice in a home.
package protocol RandomIdentifier: Sendable, Hashable, Comparable, CustomStringConvertible {
    var text: String { get }

    /// Takes digits that are known to be right.
    init(unchecked text: String)

    /// The error for a text that is no such name.
    static func malformed(_ text: String) -> MerchantsError
}

extension RandomIdentifier {
    /// Checks the form.
    ///
    /// - Throws: the ``MerchantsError`` of what it names.
    package init(_ text: some StringProtocol) throws(MerchantsError) {
        let isHex: (UInt8) -> Bool = {
            ($0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9"))
                || ($0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "f"))
        }
        guard text.utf8.count == 12, text.utf8.allSatisfy(isHex) else {
            throw Self.malformed(String(text))
        }
        self.init(unchecked: String(text))
    }

    /// Draws one.
    package static func random() -> Self {
        let digits = Array("0123456789abcdef")
        return Self(unchecked: String((0..<12).map { _ in digits[Int.random(in: 0..<16)] }))
    }

    package static func < (one: Self, other: Self) -> Bool { one.text < other.text }

    package var description: String { text }
}
