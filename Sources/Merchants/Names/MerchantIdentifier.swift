/// An Apple Pay merchant identifier, such as `merchant.com.example.shop`.
///
/// Apple demands the prefix `merchant.` and a reverse-domain name of letters, digits, `-` and `.`.
/// It is compared exactly: Apple hashes it (1.2.840.113635.100.6.32), so case matters. It names a
/// folder in the home, so nothing that a path could misread is admitted.
package struct MerchantIdentifier: Sendable, Hashable, Comparable, CustomStringConvertible {
    package let text: String

    /// Checks the form.
    ///
    /// - Throws: ``MerchantsError/badMerchantIdentifier(_:)`` with what is wrong.
    package init(_ text: String) throws(MerchantsError) {
        // What each order of the checkout has, in one pass.
        if Self.isSound(text) {
            self.text = text
            return
        }
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.count >= 2, labels[0].elementsEqual("merchant".utf8) else {
            throw .badMerchantIdentifier("it does not start with \"merchant.\"")
        }
        guard text.utf8.count <= Self.longest else {
            throw .badMerchantIdentifier("it is longer than \(Self.longest) characters")
        }
        for label in labels {
            guard !label.isEmpty else {
                throw .badMerchantIdentifier("it has an empty part between two dots")
            }
            guard label.allSatisfy(Self.isAllowed) else {
                throw .badMerchantIdentifier(
                    "it has a character other than letters, digits, - and .")
            }
        }
        self.text = text
    }

    /// Whether the checks above find nothing wrong.
    private static func isSound(_ text: String) -> Bool {
        let bytes = text.utf8.span
        guard bytes.count <= longest, text.hasPrefix("merchant.") else { return false }
        var last = UInt8(ascii: ".")
        for index in bytes.indices {
            let byte = bytes[index]
            guard isAllowed(byte) || (byte == UInt8(ascii: ".") && last != byte) else {
                return false
            }
            last = byte
        }
        return last != UInt8(ascii: ".")
    }

    /// Apple documents no limit; this is what still fits a folder's name.
    package static let longest = 200

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default:
            false
        }
    }

    package static func < (one: MerchantIdentifier, other: MerchantIdentifier) -> Bool {
        one.text < other.text
    }

    package var description: String { text }
}
