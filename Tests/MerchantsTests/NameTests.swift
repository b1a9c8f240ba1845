import Merchants
import Testing

@Suite struct MerchantIdentifierTests {
    @Test(arguments: ["merchant.com.example.shop", "merchant.a", "merchant.com.Example-1.x"])
    func `Apple's form is accepted as it stands`(text: String) throws {
        #expect(try MerchantIdentifier(text).text == text)
    }

    @Test(arguments: [
        "", "merchant", "merchant.", "com.example.shop", "merchant.com..x", "merchant.com/x",
        "merchant.../etc", "merchant.com.ex ample", "merchant.com.exämple", "Merchant.com.x",
        "merchant.com.x.", "merchant.com.x\u{0}", "merchant.com.x\n",
        "merchant." + String(repeating: "a", count: 200),
    ])
    func `anything else is refused`(text: String) {
        #expect(throws: MerchantsError.self) { try MerchantIdentifier(text) }
    }
}

@Suite struct DomainNameTests {
    @Test(arguments: [
        ("shop.example.com", "shop.example.com"), ("SHOP.Example.COM.", "shop.example.com"),
        ("xn--bcher-kva.example", "xn--bcher-kva.example"), ("a1.b-2.de", "a1.b-2.de"),
    ])
    func `a name is brought into lower case without a final dot`(given: String, kept: String)
        throws
    {
        #expect(try DomainName(given).text == kept)
    }

    @Test(arguments: [
        "", "localhost", "https://shop.example.com", "shop.example.com:8443",
        "shop.example.com/checkout", "*.example.com", "127.0.0.1", "[::1]", "user@shop.example.com",
        "shop.example.com\r\nX: y", "shop..example.com", "-shop.example.com", "shop-.example.com",
        "bücher.example", "shop.example.com?x", "shop.example.com#x", "shop_1.example.com",
        "shop.example.com\u{0}.evil.test", "shop.example.com\\x", ".example.com", "a" + ".",
        String(repeating: "a", count: 64) + ".com", String(repeating: "a.", count: 130) + "com",
        "1.2.3.4.", "0x7f.1", "shop.1", "shop.example.com-", "shop.example.-com",
    ])
    func `what Apple cannot register is refused`(given: String) {
        #expect(throws: MerchantsError.self) { try DomainName(given) }
    }

    @Test(arguments: [
        ("https://shop.example.com:8443/x", "it has a scheme", "shop.example.com"),
        ("shop.example.com:8443/x", "it has a port", "shop.example.com"),
        ("shop.example.com/x:y", "it has a path", "shop.example.com"),
        ("shop.example.com?a=b/c", "it has a query", "shop.example.com"),
        ("https://user:secret@shop.example.com", "it has user information", nil),
        ("https://", "it has a scheme", nil), ("[::1]", "it is an address, not a name", nil),
    ])
    func `a part of a URL is answered with the host beside it`(
        given: String, what: String, use: String?
    ) {
        #expect(throws: MerchantsError.badDomain(what, use: use)) { try DomainName(given) }
    }
}

@Suite struct DisplayNameTests {
    @Test(arguments: ["Example Shop", "Bücher & Café №1", "商店", "A", "Shop 24/7 #1 ©"])
    func `plain names are accepted`(text: String) throws {
        #expect(try DisplayName(text).text == text)
    }

    @Test(arguments: [
        "", "   ", "Shop 🛒", "Shop\n", "Sh\u{200B}op", "\u{202E}pohs", "❤️",
        String(repeating: "x", count: 65),
    ])
    func `emoji, invisible and over-long names are refused`(text: String) {
        #expect(throws: MerchantsError.self) { try DisplayName(text) }
    }
}

@Suite struct GatewayAddressTests {
    @Test(arguments: [
        ("https://apple-pay-gateway.apple.com", "https://apple-pay-gateway.apple.com"),
        ("https://LOCALHOST:8443/", "https://localhost:8443"),
        ("https://[::1]:9", "https://[::1]:9"), ("https://h.example:443", "https://h.example"),
    ])
    func `host and port are kept`(given: String, kept: String) throws {
        #expect(try GatewayAddress(given).description == kept)
    }

    @Test(arguments: [
        "http://h.example", "https://", "https://h:0", "https://h:x", "https://u@h", "https://h/p",
        "https://h?q", "https://h#f", "h.example", "https://h h", "https://h\\x", "https://h:70000",
    ])
    func `anything but https with a host is refused`(given: String) {
        #expect(throws: MerchantsError.self) { try GatewayAddress(given) }
    }

    @Test(arguments: [
        "[::1", "::1]", "::1", "[::1]x:80", "[::1]]", "[]", "[1.2.3.4]", "[::1%25eth0]", "[v1.x]",
        "[1:2:3:4:5:6:7]", "[1:2:3:4:5:6:7:8:9]", "[1::2::3]", "[:1:2:3:4:5:6:7]", "[:::]",
        "[1:2:3:4:5:6:7:]", "[12345::]", "[g::]", "[1:2:3:4:5:6:7:1.2.3.4]", "[::1.2.3.256]",
        "[1.2.3.4::]", "[::]:", "[::1]:0", "h:+80", "h:-1", "h:080", "h:0", "h:99999", "h:65536",
        "h:", "h:80:80", "h: 80", "h:8o", "h:0x50", "u@h", "u:p@h", "@h", "u%40h", ":443", "", "h.",
        "h.:443", ".h", "a..b", "%68", "h%2eexample", "h\u{E4}", "-h", "h-", "a.-b.c", "h_1", "h,i",
        "h;i", "h!", "*", "256.1.1.1", "1.2.3", "127.1", "2130706433", "0177.0.0.1", "01.2.3.4",
        "1.2.3.4.5", "0x7f.1", "0x7f000001", "h/..", "h//", "h\\i", "h?", "h#", "h\t", "h\r\n",
        "h\0",
        String(repeating: "a", count: 64), String(repeating: "a.", count: 127) + "aa",
    ])
    func `an odd host or port is refused with the reason`(authority: String) {
        for (scheme, isGateway) in [("https://", true), ("http://", false), ("https://", false)] {
            do throws(MerchantsError) {
                if isGateway {
                    Issue.record("\(try GatewayAddress(scheme + authority)) passes")
                } else {
                    Issue.record("\(try ProxyAddress(scheme + authority)) passes")
                }
            } catch {
                #expect(
                    error.code == (isGateway ? "environment.bad-gateway" : "environment.bad-proxy"))
                #expect(error.summary.utf8.count <= 120 && error.summary.contains(": "))
            }
        }
    }

    @Test(arguments: [
        "h", "h:1", "h:65535", "a-1.b.example:8443", "127.0.0.1:8443", "0.0.0.0", "1.2.3.x",
        "[::]", "[::1]:9", "[1::]", "[1:2:3:4:5:6:7:8]", "[1:2:3:4:5:6:7::]", "[::2:3:4:5:6:7:8]",
        "[fe80::a:b]:443", "[::ffff:1.2.3.4]", "[1:2:3:4:5:6:1.2.3.4]", "[1::1.2.3.4]",
        "xn--bcher-kva.example",
        String(repeating: "a", count: 63), "1e100", "0xg",
    ])
    func `every sound host and port passes`(authority: String) throws {
        let kept = authority.hasSuffix(":443") ? String(authority.dropLast(4)) : authority
        #expect(try GatewayAddress("https://\(authority)").description == "https://\(kept)")
        #expect(
            try GatewayAddress("HTTPS://\(authority.uppercased())/").description
                == "https://\(kept)")
        if authority.firstMatch(of: /:[0-9]+$/) != nil {
            #expect(try ProxyAddress("HTTP://\(authority)/").description == "http://\(authority)")
        }
    }
}
