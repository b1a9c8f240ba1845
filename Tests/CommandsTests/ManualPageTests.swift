import TestSupport
import Testing

@testable import Commands

@Suite struct ManualPageTests {
    private static let page = ManualPage(table: .standard).source

    @Test func `mandoc has nothing to say about it, not even on style`() throws {
        let folder = TemporaryFolder()
        let file = folder.write("purser.1", Array(Self.page.utf8))
        let result = try ForeignProcess.run("mandoc", ["-T", "lint", "-W", "style", file])
        #expect(result.status == 0 && result.text == "" && result.errorText == "")
    }

    @Test func `it reads as text and names every command, flag and status`() throws {
        let result = try ForeignProcess.run(
            "mandoc", ["-T", "utf8", "-O", "width=200"], input: Array(Self.page.utf8))
        // Bold and underlined letters are overstruck.
        let text = result.text.replacing(#/.\x08/#, with: "")
        for verb in CommandTable.standard.shown {
            let words = verb.path.joined(separator: " ")
            #expect(text.contains("\n   \(words)\n"), "\(words)")
            for option in verb.options { #expect(text.contains(option.spelling)) }
            for example in verb.examples { #expect(text.contains(example.command)) }
        }
        for option in GlobalOptions.all { #expect(text.contains(option.spelling)) }
        for status in CommandStatus.table {
            #expect(text.contains("\n     \(status.status.code) "))
        }
        for title in [
            "NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "GLOBAL FLAGS", "ENVIRONMENT", "FILES",
            "EXIT STATUS", "EXAMPLES", "SECURITY CONSIDERATIONS",
        ] {
            #expect(text.contains("\n\(title)\n"), "\(title)")
        }
        #expect(text.contains("purser environment add NAME --gateway URL [--realm NAME]"))
    }
}
