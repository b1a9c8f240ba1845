import Problems

/// The shop's name on Apple's payment sheet: 1–64 characters, not localised, no emoji and no glyphs
/// that a shop's name is not made of ("Requesting an Apple Pay payment session").
///
/// It is the operator's, and never taken from a caller.
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
        var marks = 3
        for scalar in text.unicodeScalars {
            if let what = Self.whatIsWrong(with: scalar) {
                throw .badDisplayName("it has \(what)")
            }
            // A letter may carry three; more is for show, and covers the lines above and below.
            marks = scalar.properties.generalCategory == .nonspacingMark ? marks + 1 : 0
            guard marks <= 3 else { throw .badDisplayName("it has stacked combining marks") }
        }
        self.text = text
    }

    package var description: String { text }
}

// MARK: - Glyphs

extension DisplayName {
    /// What speaks against a character on Apple's sheet; nil for what a shop's name is made of.
    ///
    /// Letters, digits, punctuation and currency signs of any script are fine. Symbols are not,
    /// beside those of Latin-1 and a few more: they and letters made to look like others are what
    /// Apple calls untypical, and each phone shows them in its own way.
    private static func whatIsWrong(with scalar: Unicode.Scalar) -> String? {
        let properties = scalar.properties
        let category = properties.generalCategory
        if scalar.isInvisible || properties.isVariationSelector {
            return "a control or invisible character"
        }
        if customary.contains(scalar) { return nil }
        // ASCII digits and # are "emoji" by Unicode's property, so only what shows as one counts.
        if properties.isEmojiPresentation || (properties.isEmoji && scalar.value > 0xFF) {
            return "an emoji"
        }
        switch category {
        case .otherSymbol, .mathSymbol, .modifierSymbol, .otherNumber, .letterNumber,
            .enclosingMark:
            if scalar.value <= 0xFF { return nil }
            return "an untypical glyph"
        default:
            return madeUp.contains { $0.contains(scalar.value) } ? "an untypical glyph" : nil
        }
    }

    /// Signs that shops' names have, although they are symbols.
    private static let customary: Set<Unicode.Scalar> = ["©", "®", "™", "℠", "№", "〇"]

    /// Letters and digits that stand for others in another dress: superscripts, letter-like signs,
    /// bold, script and double-struck letters.
    private static let madeUp: [ClosedRange<UInt32>] = [
        0x2B0...0x2FF, 0x1D2C...0x1D6A, 0x2070...0x209F, 0x2100...0x214F, 0x1_D400...0x1_D7FF,
        0x1_F100...0x1_F1FF,
    ]
}
