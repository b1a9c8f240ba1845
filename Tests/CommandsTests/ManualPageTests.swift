import Settings
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

    @Test func `every variable that the sources read is in ENVIRONMENT, and no other`() throws {
        let root = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" }
        // Literal names wherever one is looked up, and those that the table of settings makes.
        let read = try ForeignProcess.run(
            "grep", ["-rhoE", #"(environment|getenv)[[(]"[A-Z_]+""#, "\(root)/Sources"])
        var names = Set(read.text.matches(of: #/"([A-Z_]+)"/#).map { String($0.1) })
        try #require(names.contains("PURSER_HOME") && names.contains("NOTIFY_SOCKET"))
        names.formUnion(Settings.variables.map(\.name))
        #expect(names.contains("PURSER_SERVE_DRAIN_SECONDS"))
        // Any other that the sources name is one of these.
        let named = try ForeignProcess.run(
            "grep", ["-rhoE", "--include=*.swift", "PURSER_[A-Z_]*[A-Z]", "\(root)/Sources"])
        #expect(Set(named.text.split(separator: "\n").map(String.init)).subtracting(names) == [])
        let section = try #require(Self.page.split(separator: ".Sh ENVIRONMENT\n").last)
        let page = try #require(section.split(separator: ".Sh ").first)
        let told = page.matches(of: #/\.It Ev \\&([A-Z_]+)/#).map { String($0.1) }
        #expect(Set(told) == names && told.count == names.count)
    }
}
