import Clocks
import Documents
import Testing

@testable import Commands

@Suite struct OutputTests {
    struct Row: ReportRow {
        let name: String
        @OrNull var until: Timestamp?

        static let titles = ["NAME", "UNTIL"]
        var cells: [String] { [name, until?.description ?? ""] }
    }

    private func json(_ value: some Encodable) throws -> String {
        String(decoding: try JSONText.line(value), as: UTF8.self)
    }

    @Test func `one value is a table for people and an array for scripts`() throws {
        let report = ListReport([
            Row(name: "shop", until: Timestamp(seconds: 0)), Row(name: "a", until: nil),
        ])
        #expect(
            report.text(width: 80) == """
                NAME  UNTIL
                shop  1970-01-01T00:00:00Z
                a

                """)
        #expect(
            try json(report) == """
                [{"name":"shop","until":"1970-01-01T00:00:00Z"},{"name":"a","until":null}]

                """)
        let lines = LinesReport(report.rows)
        #expect(lines.text(width: 80) == report.text(width: 80))
        #expect(
            String(decoding: try lines.json(), as: UTF8.self) == """
                {"name":"shop","until":"1970-01-01T00:00:00Z"}
                {"name":"a","until":null}

                """)
        #expect(ListReport<Row>([]).text(width: 80) == "")
        #expect(try json(ListReport<Row>([])) == "[]\n")
    }

    @Test func `JSON has sorted keys, bare slashes and nothing a terminal obeys`() throws {
        let text = "https://x/\u{1B}[2J\u{7F}\u{9B}\u{202E}\u{2028}é€😀"
        let line = try json(["b": text, "a": "1"])
        #expect(
            line == """
                {"a":"1","b":"https://x/\\u001b[2J\\u007f\\u009b\\u202e\\u2028é€😀"}

                """)
    }

    @Test func `control and format characters are shown, not obeyed`() {
        #expect(TerminalText.escaped("plain é 漢 😀") == "plain é 漢 😀")
        #expect(
            TerminalText.escaped("a\u{1B}[0m\n\r\t\0\u{7F}\u{85}\u{202E}\u{FEFF}")
                == "a\\u{1B}[0m\\n\\r\\t\\u{0}\\u{7F}\\u{85}\\u{202E}\\u{FEFF}")
    }

    @Test func `columns line up by what a terminal shows`() {
        #expect(TerminalText.width("abc") == 3)
        #expect(TerminalText.width("漢字") == 4)
        #expect(TerminalText.width("e\u{301}é") == 2)
        #expect(TerminalText.width("😀") == 2)
        let table = TextTable(
            titles: ["A", "B", "C"],
            rows: [["漢", "1", "x"], ["e\u{301}", "", "y"], ["", "2", ""]])
        #expect(
            table.rendered == "A   B  C\n漢  1  x\ne\u{301}      y\n    2\n")
        #expect(
            FieldList([("id", "1"), ("not there", nil), ("state", "a\nb")]).rendered
                == "id:     1\nstate:  a\\nb\n")
    }

    @Test func `prose is wrapped between words, and never longer than its width`() {
        let text = String(repeating: "word and ", count: 40)
        for width in [20, 80, 100] {
            let lines = Prose.wrap(text, width: width, indent: 4).split(separator: "\n")
            #expect(
                lines.allSatisfy {
                    $0.count <= width && $0.hasPrefix("    word") || $0.hasPrefix("    and")
                })
        }
        #expect(Prose.wrap("a-very-long-word b", width: 5) == "a-very-long-word\nb\n")
    }
}
