/// The shop's name on Apple's payment sheet: 1–64 characters, not localised, no emoji
/// ("Requesting an Apple Pay payment session").
package struct DisplayName: Sendable, Hashable, CustomStringConvertible {
    package let text: String

    /// Checks the form.
    ///
    /// - Throws: ``MerchantsError/badDisplayName(_:)`` with what is wrong.
    package init(_ text: String) throws(MerchantsError) {
        guard !text.isEmpty, !text.allSatisfy(\.isWhitespace) else {
            throw .badDisplayName("it is empty")
        }
        // In scalars: one character may hold any number of combining marks.
        let count = text.unicodeScalars.count
        guard count <= 64 else {
            throw .badDisplayName("it has \(count) characters; 64 are allowed")
        }
        for scalar in text.unicodeScalars {
            let properties = scalar.properties
            switch properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
                .unassigned:
                throw .badDisplayName("it has a control or invisible character")
            default:
                break
            }
            // ASCII digits and # are "emoji" by Unicode's property, so only what shows as one counts.
            if properties.isEmojiPresentation || (properties.isEmoji && scalar.value > 0xFF) {
                throw .badDisplayName("it has an emoji")
            }
        }
        self.text = text
    }

    package var description: String { text }
}
