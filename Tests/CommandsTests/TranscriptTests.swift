import Glibc
import TestSupport
import Testing

@testable import Commands

@Suite struct TranscriptTests {
    private static let folder =
        #filePath.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/Transcripts"

    static func names() throws -> [String] {
        try ForeignProcess.run("ls", [folder]).text.split(separator: "\n").map(String.init)
            .filter { $0.hasSuffix(".txt") }
    }

    @Test(arguments: try TranscriptTests.names())
    func `what is typed answers as the transcript says`(name: String) async throws {
        let text = try ForeignProcess.run("cat", ["\(Self.folder)/\(name)"]).text
        try await TranscriptRunner(name: name).run(Transcript(parsing: text))
    }

    @Test func `expected text matches wholly and keeps what is named`() throws {
        var variables = ["known": "a.b"]
        let expected = ExpectedText(lines: ["id [id=..] of $known", "...", "end[..]"])
        #expect(try expected.matches("id 42 of a.b\n\n(x)\nend.\n", variables: &variables))
        #expect(variables["id"] == "42")
        #expect(try !expected.matches("id 42 of axb\nend\n", variables: &variables))
        #expect(try !expected.matches("id 42 of a.b\nend\nmore\n", variables: &variables))
        #expect(try ExpectedText(lines: []).matches("", variables: &variables))
        #expect(try !ExpectedText(lines: []).matches("x", variables: &variables))
    }

    @Test func `words are split as a shell would`() throws {
        let words = try ShellWords(#"purser 'a b' "$x"c \$d ''"#, variables: ["x": "1 2"]).words
        #expect(words == ["purser", "a b", "1 2c", "$d", ""])
    }
}
