import FoundationEssentials
import Testing

@testable import Settings

/// Our reader beside the decoder of FoundationEssentials, which knows JSON5 too.
@Suite struct JSON5ReaderTests {
    /// What the other reader makes of a text, in our terms; nil when it refuses it.
    private struct Foreign: Decodable {
        let value: JSONValue

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                value = .null
            } else if let boolean = try? container.decode(Bool.self) {
                value = .boolean(boolean)
            } else if let integer = try? container.decode(Int.self) {
                value = .integer(integer)
            } else if let number = try? container.decode(Double.self) {
                value = .number(number)
            } else if let text = try? container.decode(String.self) {
                value = .text(text)
            } else if let array = try? container.decode([Foreign].self) {
                value = .array(array.map(\.value))
            } else {
                let object = try container.decode([String: Foreign].self)
                value = .object(
                    object.sorted { $0.key < $1.key }.map {
                        .init(key: $0.key, value: $0.value.value)
                    })
            }
        }
    }

    private func foreign(_ text: String) -> JSONValue? {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        // Foundation (6.3) looks one byte behind a number that ends its input, and traps by chance.
        return try? decoder.decode(Foreign.self, from: Data((text + "\n").utf8)).value
    }

    private func ours(_ text: String) -> JSONValue? {
        try? JSON5Reader.read(Array(text.utf8))
    }

    @Test(arguments: [
        "{}", " [ ] ", "null", "true", "false", "0", "-1", "12", "1.5", "1e3", "-2.5E-2", "0x1F",
        "-0xff", "+5", ".5", "5.", "9223372036854775807", "9223372036854775808",
        "\"a\"", "'a'", "'it\\'s'", "\"\\\"\"", "'\"'", "'\\u00e4\\n\\t\\\\\\/'",
        "'\\ud83d\\ude00'",
        "'\\x41'", "'ä€😀'", "[1,2,]", "[1, 'a', null, [true],]",
        "{a: 1, b: {c: [2]},}", "{\"a b\": 1}", "{$a_1: 1}",
        "// c\n{ /* d */ a /* e */ : 1 // f\n}",
        "{a:1}//", "/**/1", "\t\r\n1",
    ])
    func `what both can read they read alike`(_ text: String) throws {
        let value = try #require(ours(text))
        #expect(value == foreign(text))
    }

    @Test(arguments: [
        "", " ", "{", "[", "{a}", "{a:}", "{a:1,,}", "[,]", "[1 2]", "{a:1 b:2}", "{'a':1",
        "{1a: 1}", "{a-b: 1}", "'a", "\"a'", "'\\u12'", "'\\ud83d'", "'\\ude00'", "nul", "tru",
        "hello", "01", "1.5.5", "0x", "0xg", "--1", "- 1", "1e", "1e400", ".", "/", "/* a", "{} {}",
        "1 2",
        "'a\nb'", "}", "]", ":",
    ])
    func `what neither can read is refused`(_ text: String) {
        #expect(foreign(text) == nil)
        #expect(ours(text) == nil)
    }

    @Test func `a line that goes on and a no-break space are read as json5.org says`() {
        #expect(ours("'two \\\nlines'") == .text("two lines"))
        #expect(ours("'two \\\r\nlines'") == .text("two lines"))
        #expect(ours("\u{FEFF}1\u{A0}") == .integer(1))
    }

    @Test func `a key that is there twice is refused, as the other reader does not`() {
        #expect(throws: JSON5Reader.Malformed(line: 2, what: "a key is there twice")) {
            try JSON5Reader.read(Array("{ a: 1,\n 'a': 2 }".utf8))
        }
    }

    @Test func `bytes that are not UTF-8, deep nests and any cut are refused, not crashed on`() {
        #expect(throws: JSON5Reader.Malformed.self) {
            try JSON5Reader.read([0x22, 0xFF, 0x22])
        }
        #expect(throws: JSON5Reader.Malformed.self) {
            try JSON5Reader.read([UInt8](repeating: 0x5B, count: 1 << 20))
        }
        let whole = Array(
            "{ a: [1, -2.5e3, 'x\\u00e4\\\n', /* c */ true], /**/ \"b\": { c: null } }".utf8)
        for length in whole.indices {
            #expect(throws: JSON5Reader.Malformed.self) {
                try JSON5Reader.read(Array(whole[..<length]))
            }
        }
        #expect(throws: Never.self) { try JSON5Reader.read(whole) }
    }

    @Test func `random changes of a file never crash the reader`() {
        let whole = Array(Settings.documentation.utf8)
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            var changed = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                changed[Int.random(in: changed.indices, using: &random)] =
                    UInt8.random(in: .min ... .max, using: &random)
            }
            _ = try? JSON5Reader.read(changed)
        }
    }
}
