import Clocks
import Testing

@testable import Watch

/// How mail is written.
@Suite struct InternetMessageTests {
    @Test(
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 +0000"),
            (951_782_399, "Mon, 28 Feb 2000 23:59:59 +0000"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 +0000"),
            (2_524_608_000, "Sat, 01 Jan 2050 00:00:00 +0000"),
        ] as [(Int64, String)])
    func `dates are those of RFC 5322`(seconds: Int64, text: String) {
        #expect(InternetMessage.internetDate(Timestamp(seconds: seconds)) == text)
    }

    @Test func `what could be taken for an encoded word is one`() {
        #expect(InternetMessage.encoded("plain") == "plain")
        #expect(InternetMessage.encoded("=?utf-8?Q?x?=").hasPrefix("=?utf-8?B?"))
        #expect(InternetMessage.encoded("a\r\nb").split(separator: "\r\n").count == 1)
        #expect(
            InternetMessage.encoded(String(repeating: "é", count: 100)).split(
                separator: "\r\n"
            ).allSatisfy { $0.utf8.count <= 76 })
    }

    @Test func `lines are no longer than 76, and blanks at their ends stay`() {
        let text = "\(String(repeating: "ü", count: 60))\nblank \n.\n"
        let lines = InternetMessage.quotedPrintable(text).split(
            separator: "\r\n", omittingEmptySubsequences: false)
        #expect(lines.allSatisfy { $0.utf8.count <= 76 })
        #expect(lines.contains("blank=20") && lines.contains("=2E"))
    }
}
