/// An API token's name, which is a part of the token.
package struct TokenIdentifier: RandomIdentifier {
    package let text: String

    /// An id for documentation and error examples.
    package static let example = TokenIdentifier(unchecked: "a91c5e0b7d24")

    package init(unchecked text: String) { self.text = text }

    package static func malformed(_ text: String) -> MerchantsError { .badTokenIdentifier }
}

/// The form of an API token: `purser_ID_SECRET`, where the secret is 256 bits as base64url.
///
/// The prefix lets scanners of source code and logs recognise one; the id lets staff tell which it is
/// without knowing it.
package enum TokenForm {
    /// What every token begins with.
    package static let prefix = "purser_"
    /// The characters of the secret: 43 of base64url are 32 bytes.
    package static let secretLength = 43
    /// The characters of a whole token.
    package static let length = prefix.utf8.count + 12 + 1 + secretLength

    /// The id in a token; nil for what cannot be one.
    ///
    /// Nothing is told of the secret's characters: whether the token is right, its hash decides.
    package static func identifier(in token: String) -> TokenIdentifier? {
        guard token.utf8.count == length, token.hasPrefix(prefix) else { return nil }
        let rest = token.utf8.dropFirst(prefix.utf8.count)
        guard rest.dropFirst(12).first == UInt8(ascii: "_") else { return nil }
        return try? TokenIdentifier(Substring(rest.prefix(12)))
    }
}
