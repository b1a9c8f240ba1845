import Files
import Problems
import Testing

@testable import Commands

@Suite struct FailureTests {
    struct Foreign: Error, CustomStringConvertible {
        let description: String
    }

    static func table(
        failureStatus: CommandStatus? = nil,
        _ run: @escaping @Sendable (Invocation) async throws -> Void
    ) -> CommandTable {
        CommandTable(
            groups: [],
            verbs: [
                Verb(
                    "work", summary: "work", needs: .nothing, failureStatus: failureStatus, run: run
                )
            ])
    }

    @Test func `every error of the command line is one line and has a remedy`() {
        for error in CommandLineError.examples {
            for text in [error.summary, error.remedy] {
                #expect(!text.isEmpty && text.count <= 120 - "purser: error: ".count, "\(text)")
                #expect(!text.contains("\n") && !text.contains("BEGIN"), "\(text)")
                #expect(!text.hasSuffix("."), "\(text)")
            }
            #expect(error.code.wholeMatch(of: #/[a-z-]+\.[a-z-]+/#) != nil, "\(error.code)")
        }
        let codes = CommandLineError.examples.map(\.code)
        // Two of them are there with and without a suggestion.
        #expect(Set(codes).count == codes.count - 3)
    }

    @Test func `long and hostile words cannot stretch or break a message`() {
        let hostile = String(repeating: "\u{1B}[2J\n", count: 1_000)
        for error: CommandLineError in [
            .unknownCommand(hostile, didYouMean: nil), .extraArgument(hostile, usage: "purser x"),
            .inputUnreadable(hostile, reason: "x"),
            .notOneOf("KIND", text: hostile, allowed: "a"),
        ] {
            #expect(error.summary.count <= 105)
            #expect(!error.summary.unicodeScalars.contains(where: TerminalText.isUnsafe))
        }
    }

    @Test func `a nature has its status`() {
        let expected: [(Nature, Int32)] = [
            (.usage, 64), (.badData, 65), (.conflict, 65), (.notFound, 66), (.unreachable, 69),
            (.timedOut, 69), (.refused, 69), (.unavailable, 69), (.internalFault, 70),
            (.cannotCreate, 73), (.denied, 77), (.configuration, 78),
        ]
        #expect(expected.count == Nature.allCases.count)
        for (nature, code) in expected { #expect(CommandStatus(nature).code == code) }
    }

    @Test func `an explained error is two lines, or one JSON object with the same status`() async {
        let table = Self.table { _ in throw FileError.notFound("shop.cer") }
        let text = await purser("work", table: table)
        #expect(text.status == 66 && text.output.isEmpty)
        #expect(
            text.errors == """
                purser: error: there is no file shop.cer
                purser: hint: check the path, and give it in full if the working folder differs

                """)
        let json = await purser("--json", "work", table: table)
        #expect(json.status == 66 && json.errors == "")
        #expect(
            json.text == """
                {"error":{"code":"file.not-found","remedy":"check the path, and give it in full if \
                the working folder differs","summary":"there is no file shop.cer"}}

                """)
    }

    @Test func `a foreign error is shown by reference and logged in full`() async {
        let table = Self.table { _ in throw Foreign(description: "line 1\u{1B}[31m\nline 2") }
        let text = await purser("work", table: table)
        #expect(text.status == 70)
        #expect(
            text.errors == """
                purser: error: internal error, reference 0000
                purser: hint: look for the reference in the log, and report it with what you did
                purser: log: 0000: line 1\\u{1B}[31m
                purser: log: 0000: line 2

                """)
        let json = await purser("work", "--json", table: table)
        #expect(json.text.contains("\"internal.error\"") && !json.text.contains("line 1"))
        #expect(json.errors.contains("purser: log: 0000: line 1"))
    }

    @Test func `a verb ends with a status of its own, and nothing is said about it`() async {
        let table = Self.table(failureStatus: CommandStatus(3)) { invocation in
            try invocation.write(Array("warning\n".utf8))
            throw CommandStatus(1)
        }
        let result = await purser("work", table: table)
        #expect(result.status == 1 && result.text == "warning\n" && result.errors == "")
    }

    @Test func `a verb's failure status replaces all others, usage included`() async {
        let table = Self.table(failureStatus: CommandStatus(3)) { _ in
            throw FileError.notFound("x")
        }
        #expect(await purser("work", table: table).status == 3)
        #expect(await purser("work", "--bogus", table: table).status == 3)
        #expect(await purser("--home", "a", "work", "--home", "b", table: table).status == 3)
        #expect(await purser("wrok", table: table).status == 64)
    }

    @Test func `a full disk is an error, on standard error when standard output is what failed`()
        async
    {
        struct Full: OutputSink {
            var isClosed: Bool { false }
            func checkReader() {}
            func write(_ bytes: [UInt8]) throws {
                throw CommandLineError.outputNotWritten("standard output", reason: "full")
            }
        }
        let errors = CapturingSink()
        var context = capturingContext(
            ["version", "--json"], output: CapturingSink(), errors: errors)
        context.output = Full()
        #expect(await run(in: context) == 73)
        #expect(errors.text.hasPrefix("purser: error: cannot write standard output: full\n"))
    }

    @Test func `warnings go to standard error and stay one line`() async {
        let table = Self.table { $0.warn("soon\n\u{9B}2J", hint: "act") }
        let result = await purser("work", "--json", table: table)
        #expect(result.errors == "purser: warning: soon\\n\\u{9B}2J\npurser: hint: act\n")
        #expect(result.status == 0 && result.output.isEmpty)
    }
}
