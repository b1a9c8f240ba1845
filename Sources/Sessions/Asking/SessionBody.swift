import Merchants

/// The body of the request to Apple: four strings ("Requesting an Apple Pay payment session").
struct SessionBody: Sendable {
    /// Everything before the domain, which alone differs between a merchant's requests.
    private let beginning: [UInt8]

    init(merchant: MerchantIdentifier, displayName: DisplayName) {
        beginning = Array(
            """
            {"merchantIdentifier":"\(merchant)","displayName":"\(Self.escaped(displayName.text))",\
            "initiative":"web","initiativeContext":"
            """.utf8)
    }

    /// The body for one domain, UTF-8 JSON.
    func bytes(for domain: DomainName) -> [UInt8] {
        var bytes = beginning
        bytes.reserveCapacity(beginning.count + domain.text.utf8.count + 2)
        bytes += domain.text.utf8
        bytes += [UInt8(ascii: "\""), UInt8(ascii: "}")]
        return bytes
    }

    /// A display name has no control characters, so these two are all that JSON wants escaped.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.unicodeScalars {
            if character == "\"" || character == "\\" { result.append("\\") }
            result.unicodeScalars.append(character)
        }
        return result
    }
}
