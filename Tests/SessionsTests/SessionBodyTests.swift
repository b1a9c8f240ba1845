import FoundationEssentials
import Merchants
import Testing

@testable import Sessions

@Suite struct SessionBodyTests {
    @Test(arguments: [
        "Example Shop", "\"Quoted\"", "back\\slash", "\\\"", "Bücher & Café", "商店", "a/b", "'",
        "</script>", "${x}", "\\u0041", "Shop 24/7 #1 ©", "n\u{303}",
    ])
    func `any display name reads back as it was, in four strings`(name: String) throws {
        let body = SessionBody(
            merchant: try MerchantIdentifier("merchant.com.example.shop"),
            displayName: try DisplayName(name))
        let bytes = body.bytes(for: try DomainName("shop.example.com"))
        let read = try JSONDecoder().decode([String: String].self, from: Data(bytes))
        #expect(
            read == [
                "merchantIdentifier": "merchant.com.example.shop", "displayName": name,
                "initiative": "web", "initiativeContext": "shop.example.com",
            ])
        // The same scalars, not only an equivalent text.
        #expect(read["displayName"].map { Array($0.utf8) } == Array(name.utf8))
    }
}
