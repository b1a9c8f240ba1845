import Problems

/// What a payment provider that holds a key is called here: 1–64 visible characters.
package struct ProviderName: Sendable, Hashable, CustomStringConvertible {
    package let text: String

    /// Checks the form.
    ///
    /// - Throws: ``MerchantsError/badProvider(_:)`` with what is wrong.
    package init(_ text: String) throws(MerchantsError) {
        guard !text.allSatisfy(\.isWhitespace) else { throw .badProvider("it is empty") }
        guard text.unicodeScalars.count <= 64 else {
            throw .badProvider("it has more than 64 characters")
        }
        guard !text.unicodeScalars.contains(where: \.isInvisible) else {
            throw .badProvider("it has a control or invisible character")
        }
        self.text = text
    }

    package var description: String { text }
}
