import Foundation
import TestSupport
import Testing

@testable import Commands
@testable import Settings

/// What README.md and the files for containers tell people to type and to set exists.
@Suite struct ExampleTests {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    /// Commands of `purser`, variables and settings in the examples.
    private struct Found: Decodable {
        /// The words behind `purser`.
        let commands: [[String]]
        let variables: [String]
        /// Contents of files `purser.json5`.
        let settings: [String]
        /// A proxy's configuration by the name of its block in README.md.
        let proxies: [String: String]
        /// The packages that are installed in the image.
        let packages: [String]
    }

    /// The shell's and YAML's grammars are Python's affair.
    private func found() throws -> Found {
        let folder = "\(Self.root)/Tests/CommandsTests/Peers"
        let result = try ForeignProcess.run("python3", ["\(folder)/examples.py", Self.root])
        try #require(result.status == 0, "\(result.errorText)")
        return try JSONDecoder().decode(Found.self, from: Data(result.output))
    }

    @Test func `every command, variable and setting in the examples exists`() throws {
        let found = try found()
        #expect(found.commands.count > 30)
        for words in found.commands {
            let line = ArgumentParser(table: .standard).parse(words)
            #expect(line.fault == nil && line.verb != nil, "purser \(words.joined(separator: " "))")
        }
        let known = Set(SettingsTable.all.map(\.variable) + ["PURSER_HOME"])
        #expect(found.variables.count >= 4)
        #expect(Set(found.variables).subtracting(known) == [])
        #expect(found.settings.count == 2)
        for text in found.settings {
            _ = try Settings.load(
                contents: Array(text.utf8), filePath: "example", environment: [:], flags: [:])
        }
    }

    @Test func `containers have the proxies and libraries that README.md names`() throws {
        let found = try found()
        let readme = try String(contentsOfFile: "\(Self.root)/README.md", encoding: .utf8)
        for (language, text) in found.proxies {
            let part = try #require(readme.components(separatedBy: "\n```\(language)\n").last)
            let block = try #require(part.components(separatedBy: "\n```\n").first)
            // As an ordinary user nginx cannot have port 443, and the image's Caddy is a newer one.
            let expected = block.replacing("listen 443 ssl", with: "listen 8443 ssl").replacing(
                /buffer_requests +# from Caddy 2.7 on: request_buffers/, with: "request_buffers")
            #expect(text.trimmingCharacters(in: .newlines) == expected, "\(language)")
        }
        #expect(found.proxies.count == 2)
        #expect(found.packages.last == "curl")
        let install = "apt-get install \(found.packages.dropLast().joined(separator: " "))\n"
        #expect(readme.contains(install), "\(install)")
    }
}
