import Merchants
import PKI

/// Turns the hashes in Apple's messages into names that the operator knows.
///
/// Apple names a merchant by the upper-case hex SHA-256 of its identifier, as in 6.32.
struct MerchantHashes: Sendable {
    private let names: [String: MerchantIdentifier]

    /// Knows all merchants of a home.
    init(_ merchants: some Sequence<MerchantIdentifier>) {
        names = Dictionary(
            merchants.map { (Self.hash(of: $0), $0) }, uniquingKeysWith: { first, _ in first })
    }

    static func hash(of merchant: MerchantIdentifier) -> String {
        Hexadecimal.uppercase(SHA256.hash(Array(merchant.text.utf8)))
    }

    /// `text` with each known hash replaced, whatever its case; unknown ones stay.
    func translated(_ text: String) -> String {
        var result = ""
        var run = ""
        for character in text + " " {
            if character.isHexDigit && character.isASCII {
                run.append(character)
                continue
            }
            result += run.utf8.count == 64 ? names[run.uppercased()]?.text ?? run : run
            run = ""
            result.append(character)
        }
        return String(result.dropLast())
    }
}
