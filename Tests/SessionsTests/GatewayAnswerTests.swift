import Merchants
import Testing

@testable import Sessions

@Suite struct GatewayAnswerTests {
    private static let shop = "merchant.com.example.shop"

    private func answer(_ status: Int, _ body: String) throws(SessionError) -> [UInt8] {
        let known = (try? MerchantIdentifier(Self.shop)).map { [$0] } ?? []
        return try GatewayAnswer.session(
            status: status, body: Array(body.utf8), hashes: MerchantHashes(known))
    }

    @Test(arguments: [
        "{}", " {\"epochTimestamp\":1}\r\n", "{\"a\": \"\\u00e9 é\", \"a\":1e400}",
    ])
    func `a session is passed on byte for byte`(body: String) throws {
        #expect(try answer(200, body) == Array(body.utf8))
    }

    @Test(arguments: [
        "", "   ", "{", "}", "{\"epochTimestamp\":1", "[{}]", "null", "<html>{}</html>", "\"{}\"",
    ])
    func `what is no JSON object is no session`(body: String) {
        #expect { try answer(200, body) } throws: { error in
            (error as? SessionError)?.code == "session.apple-malformed"
        }
    }

    @Test(arguments: [
        (301, "session.apple-redirected"), (302, "session.apple-redirected"),
        (401, "session.certificate-refused"), (403, "session.certificate-refused"),
        (404, "session.apple-path-unknown"), (429, "session.apple-throttled"),
        (400, "session.apple-refused-request"), (417, "session.merchant-incomplete"),
        (500, "session.apple-failed"), (503, "session.apple-failed"),
        (599, "session.apple-failed"), (204, "session.apple-unexpected"),
        (418, "session.apple-unexpected"), (206, "session.apple-unexpected"),
    ])
    func `each status has its culprit`(status: Int, code: String) {
        #expect { try answer(status, "{}") } throws: { ($0 as? SessionError)?.code == code }
    }

    @Test func `Apple's words are told with the merchant's name in place of its hash`() throws {
        let hash = MerchantHashes.hash(of: try MerchantIdentifier(Self.shop))
        let body = """
            {"statusMessage":"Payment Services Exception merchantId=\(hash) not registered for \
            domain=shop.example.com","statusCode":"400"}
            """
        let told = "merchantId=\(Self.shop) not registered for domain=shop.example.com"
        #expect(throws: SessionError.domainRefused(said: told)) { try answer(400, body) }
    }

    @Test func `a foreign certificate is told from an unfinished merchant`() {
        let refused =
            "{\"statusMessage\":\"A unauthorized to process transactions on behalf of B\"}"
        #expect { try answer(417, refused) } throws: {
            ($0 as? SessionError)?.code == "session.merchant-refused"
        }
        let unfinished = "{\"statusMessage\":\"A not registered for service\"}"
        #expect { try answer(417, unfinished) } throws: {
            ($0 as? SessionError)?.code == "session.merchant-incomplete"
        }
    }

    @Test(arguments: ["", "<html>", "{\"statusMessage\":417}", "[]", "{}"])
    func `a refusal without a reason says so`(body: String) {
        #expect(throws: SessionError.merchantIncomplete(said: "it gave no reason")) {
            try answer(417, body)
        }
    }

    @Test func `what Apple says is cut short and cannot steer a terminal`() {
        let body =
            "{\"statusMessage\":\"a\\u001b[31m\\r\\nb" + String(repeating: "x", count: 5_000)
            + "\"}"
        #expect { try answer(400, body) } throws: { error in
            guard case .requestRefused(let said) = error as? SessionError else { return false }
            return said.utf8.count <= 200 && said.hasPrefix("a [31m  bxxx")
                && said.utf8.allSatisfy { $0 >= 0x20 }
        }
    }
}
