import Merchants
import TestSupport
import Testing

@Suite struct SpellingTests {
    @Test(arguments: [
        ("bücher.example", "xn--bcher-kva.example"), ("BÜCHER.Example", "xn--bcher-kva.example"),
        ("https://bücher.example/laden", "xn--bcher-kva.example"),
        ("bücher.example:443", "xn--bcher-kva.example"),
        ("bücher.example.", "xn--bcher-kva.example"),
        ("例え.テスト", "xn--r8jz45g.xn--zckzah"), ("пример.испытание", "xn--e1afmkfd.xn--80akhbyknj4f"),
        ("shop.ελληνικά.example", "shop.xn--hxargifdar.example"),
        ("예.테스트", "xn--2j5b.xn--9t4b11yi5a"),
    ])
    func `a name with letters outside ASCII is answered with its A-labels`(
        given: String, use: String
    ) {
        do throws(MerchantsError) {
            _ = try DomainName(given)
            Issue.record("it passes")
        } catch {
            guard case .badDomain(_, let found) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(found == use, "\(error)")
        }
    }

    /// Whatever is told is what Python's IDNA tells: letters of many scripts, in names of all lengths.
    @Test func `python3 encodes each name alike`() throws {
        let letters = Array("abz09äöüßéñøåčşžāğ ждяёђαωάџאب中文字あアー한국กไ".unicodeScalars)
            .filter { $0 != " " }
        var names: [String] = []
        for number in 0..<600 {
            var state = UInt64(number) &* 2_654_435_761 &+ 12_345
            func next(_ bound: Int) -> Int {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return Int(state >> 33) % bound
            }
            var name = ""
            for _ in 0...next(24) { name.unicodeScalars.append(letters[next(letters.count)]) }
            names.append(name + ".example")
        }
        let told = names.compactMap { name in Punycode.asciiName(of: name).map { (name, $0) } }
        #expect(told.count > 20)
        let script =
            "import sys\nfor line in sys.stdin.buffer.read().decode().split(): "
            + "print(line.encode('idna').decode())"
        let python = try ForeignProcess.run(
            "python3", ["-c", script],
            input: Array(told.map(\.0).joined(separator: "\n").utf8))
        #expect(python.status == 0, "\(python.errorText)")
        #expect(python.text.split(separator: "\n").map(String.init) == told.map(\.1))
    }

    /// Mapped in several ways, normalised, or written from right to left: a guess might be another's
    /// domain.
    @Test(arguments: [
        "straße.example", "faß.de", "Ελλάς.example", "bu\u{308}cher.example", "ｓｈｏｐ.example",
        "مثال.إختبار", "דוגמה.example", "shop。example", "☃.example", "i❤.ws", "İstanbul.example",
        "a\u{301}.example", "नमस्ते.example", "²x.example", "bücher_1.example", "-ü.example",
        "\u{1100}\u{1161}.example", String(repeating: "ü", count: 70) + ".example",
    ])
    func `where the A-labels cannot be told for certain, none are named`(given: String) {
        #expect(
            throws: MerchantsError.badDomain("it has letters outside ASCII", use: "its xn-- form")
        ) { try DomainName(given) }
    }

    @Test(arguments: [
        "shop\u{200B}.example.com", "shop\u{202E}.example.com", "shop\u{85}.example.com",
        "shop\u{A0}.example.com", "shop.example.com\u{2028}", "\u{E000}.example.com",
        "shop\u{AD}.example.com",
    ])
    func `what cannot be seen is named as that`(given: String) {
        #expect(
            throws: MerchantsError.badDomain("it has a blank or an invisible character", use: nil)
        ) { try DomainName(given) }
    }

    @Test(arguments: [
        "𝓢𝓱𝓸𝓹", "𝐒𝐡𝐨𝐩", "Ⓢhop", "①", "ℝeal", "ˢhop", "Sh═p", "█ Shop", "⠎hop", "★ Shop", "Shop ✓",
        "Shop → 1", "Shop ∑", "🅂hop", "Shop\u{FE0F}", "S\u{20DD}hop", "Ⅷ", "\u{301}Shop",
        "Z\u{301}\u{302}\u{303}\u{304}algo", "\u{E001}", "\u{202A}Shop", "\u{F0000}",
    ])
    func `glyphs that no shop's name has are refused`(text: String) {
        #expect(throws: MerchantsError.self) { try DisplayName(text) }
    }

    @Test(arguments: [
        "Müller & Söhne", "L'Atelier n° 5", "Ꮳherokee", "ไทยช้อป ที่ดี", "Cửa hàng Việt",
        "Cu\u{31B}\u{309}a hàng", "ショップ〇一ー々", "한국 상점", "متجر", "חָנוּת", "Shop™ 50 %",
        "A+B = C", "¥€$£₿", "Shop – “best”…", "½ Price", "ªº²",
    ])
    func `names in any script are taken`(text: String) throws {
        #expect(try DisplayName(text).text == text)
    }
}
