import Merchants
import TestSupport
import Testing

@testable import Sessions

@Suite struct MerchantHashesTests {
    private static let shop = "merchant.com.example.shop"
    private let hash: String
    private let hashes: MerchantHashes

    init() throws {
        // As sha256sum(1) reckons it, and as Apple writes it.
        let told = try ForeignProcess.run("sha256sum", [], input: Array(Self.shop.utf8))
        hash = String(told.text.prefix(64)).uppercased()
        hashes = MerchantHashes([try MerchantIdentifier(Self.shop)])
    }

    @Test func `a hash becomes the merchant's identifier, whatever its case`() {
        #expect(hashes.translated("merchantId=\(hash) no") == "merchantId=\(Self.shop) no")
        #expect(hashes.translated(hash.lowercased()) == Self.shop)
        #expect(hashes.translated("\(hash),\"\(hash)\"") == "\(Self.shop),\"\(Self.shop)\"")
    }

    @Test func `what is no hash of a merchant here stays as it is`() {
        let stranger = String(repeating: "0F", count: 32)
        for text in [
            "", "a", stranger, "\(hash)0", "f\(hash)", String(hash.dropLast()), "é\n\u{0}",
        ] {
            #expect(hashes.translated(text) == text)
        }
    }
}
