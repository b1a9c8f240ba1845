import FoundationEssentials
import Testing

@testable import API

@Suite struct StrictJSONTests {
    private static let keys = ["domain", "merchant", "environment", "validationURL"]

    private func read(_ text: String) throws(RequestError) -> [String: String] {
        try read(Array(text.utf8))
    }

    private func read(_ bytes: [UInt8]) throws(RequestError) -> [String: String] {
        let members = try StrictJSON.object(in: bytes)
        try Schema.check(members, against: Self.keys.map { .optional($0, .string()) })
        return Dictionary(
            uniqueKeysWithValues: members.compactMap {
                if case .string(let text) = $0.value { ($0.key, text) } else { nil }
            })
    }

    @Test(
        arguments: [
            ("{}", [:]), (" { } ", [:]),
            ("{\"domain\":\"shop.example.com\"}", ["domain": "shop.example.com"]),
            (
                "\r\n{\t\"domain\" : \"a\" , \"merchant\":\"b\"\n}\n",
                ["domain": "a", "merchant": "b"]
            ),
            ("{\"domain\":\"\"}", ["domain": ""]),
            ("{\"\\u0064omain\":\"x\"}", ["domain": "x"]),
            ("{\"domain\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"}", ["domain": "\"\\/\u{8}\u{C}\n\r\t"]),
            ("{\"domain\":\"\\u00e9\\uD83D\\ude00é😀\"}", ["domain": "é😀é😀"]),
            ("{\"domain\":\"\\u0000\"}", ["domain": "\u{0}"]),
            ("{\"domain\":\"a\u{7F}\u{2028}\"}", ["domain": "a\u{7F}\u{2028}"]),
        ] as [(String, [String: String])])
    func `strings are read with every escape`(text: String, members: [String: String]) throws {
        #expect(try read(text) == members)
    }

    @Test(arguments: [
        "", " ", "{", "}", "[]", "null", "\"domain\"", "{domain:\"a\"}", "{'domain':'a'}",
        "{\"domain\"}", "{\"domain\" \"a\"}", "{\"domain\":\"a\",}",
        "{,\"domain\":\"a\"}", "{\"domain\":\"a\"}{}", "{\"domain\":\"a\"} x", "{}\u{0}",
        "\u{FEFF}{}", "{\"domain\":\"a", "{\"domain\":\"a\\\"}", "{\"domain\":\"a\nb\"}",
        "{\"domain\":\"\u{1F}\"}", "{\"domain\":\"\\x\"}", "{\"domain\":\"\\u12\"}",
        "{\"domain\":\"\\u12G4\"}", "{\"domain\":\"\\ud800\"}", "{\"domain\":\"\\ud800x\"}",
        "{\"domain\":\"\\ud800\\u0041\"}", "{\"domain\":\"\\udc00\"}", "{/**/}",
        "{\"domain\":\"a\"//}",
        "{\"domain\":\"\\u００４１\"}", "{\"domain\":\"\\u+041\"}", "{\"domain\":\"\\u 041\"}",
    ])
    func `what is no JSON is refused at its place`(text: String) {
        #expect { try read(text) } throws: {
            if case RequestError.malformed(let index) = $0 {
                index <= text.utf8.count
            } else {
                false
            }
        }
    }

    @Test(arguments: [
        ("{\"domian\":\"a\"}", RequestError.unknownKey("domian")),
        ("{\"Domain\":\"a\"}", .unknownKey("Domain")), ("{\"\":\"a\"}", .unknownKey("")),
        ("{\"domain\":\"a\",\"domain\":\"b\"}", .duplicateKey("domain")),
        ("{\"domain\":\"a\",\"\\u0064omain\":\"b\"}", .duplicateKey("domain")),
        ("{\"domain\":1}", .wrongType("domain", expected: "a string")),
        ("{\"domain\":null}", .wrongType("domain", expected: "a string")),
        ("{\"domain\":[\"a\"]}", .wrongType("domain", expected: "a string")),
        ("{\"domain\":{\"domain\":\"a\"}}", .wrongType("domain", expected: "a string")),
        ("{\"domain\":true}", .wrongType("domain", expected: "a string")),
        ("{\"domain\":}", .malformed(at: 10)),
    ])
    func `a key that is wrong is named`(text: String, error: RequestError) {
        #expect(throws: error) { try read(text) }
    }

    @Test(
        arguments: [
            [0xFF], [0xC3], [0xC0, 0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80],
            [0xF5, 0x80, 0x80, 0x80],
        ] as [[UInt8]])
    func `bytes that are no UTF-8 are refused`(bytes: [UInt8]) {
        let text = Array("{\"domain\":\"a".utf8) + bytes + Array("\"}".utf8)
        #expect(throws: RequestError.malformed(at: 10)) {
            try read(text)
        }
    }

    @Test func `a long name of a key does not make a long message`() {
        let key = String(repeating: "x", count: 10_000) + "\u{1B}[31m"
        #expect { try read("{\"\(key)\":\"a\"}".replacing("\u{1B}", with: "\\u001b")) } throws: {
            guard let error = $0 as? RequestError else { return false }
            return error.summary.utf8.count <= 120
        }
    }

    /// What both readers take they read alike; ours takes nothing that Foundation's refuses.
    @Test func `whatever is accepted is what another reader makes of it`() throws {
        let whole = Array(
            "{\"domain\":\"sh\\u00f6p.example.com\",\"merchant\":\"m\\n\\\"é\",\"environment\":\"\"}"
                .utf8)
        var dice = SystemRandomNumberGenerator()
        let spice: [UInt8] = Array("\"\\{}[]:, u0dD89/\n".utf8) + [0x00, 0x1F, 0x80, 0xC3, 0xFF]
        for _ in 0..<20_000 {
            var text = whole
            for _ in 0..<Int.random(in: 1...3, using: &dice) {
                let index = Int.random(in: 0..<text.count, using: &dice)
                switch Int.random(in: 0..<4, using: &dice) {
                case 0: text.remove(at: index)
                case 1: text.insert(spice.randomElement(using: &dice) ?? 0, at: index)
                case 2: text.removeSubrange(index...)
                default: text[index] = spice.randomElement(using: &dice) ?? 0
                }
                if text.isEmpty { break }
            }
            guard let ours = try? read(text) else { continue }
            let theirs = try? JSONDecoder().decode([String: String].self, from: Data(text))
            #expect(theirs == ours, "\(String(decoding: text, as: UTF8.self))")
        }
    }
}
