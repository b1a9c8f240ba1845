import Clocks
import Glibc
import TestSupport
import Testing

@testable import Commands

/// Runs one transcript in a folder and a world of its own.
final class TranscriptRunner {
    private let name: String
    private let folder = TemporaryFolder()
    private let clock = ManualClock(SystemClock().now)
    private var variables: [String: String]
    private let environment: [String: String]

    init(name: String) {
        self.name = name
        variables = ["WORK": folder.path]
        environment = [
            "HOME": folder.path, "PATH": getenv("PATH").map { String(cString: $0) } ?? "/usr/bin",
            "PURSER_HOME": folder.file("home"),
            "PURSER_MASTER_KEY_FILE": folder.file("master.key"),
        ]
    }

    func run(_ transcript: Transcript) async throws {
        for (name, content) in transcript.files { folder.write(name, Array(content.utf8)) }
        for step in transcript.steps {
            switch step {
            case .moveClock(let text): try moveClock(text)
            case .run(let command):
                let result = try await perform(command)
                try check(result, against: command)
            }
        }
    }

    private func check(_ result: Captured, against command: Transcript.Command) throws {
        let place = "\(name):\(command.line): $ \(command.text)"
        #expect(
            result.status == command.status,
            "\(place)\nexit status \(result.status), expected \(command.status)\n\(result.errors)")
        let output = ExpectedText(lines: command.output)
        #expect(
            try output.matches(result.text, variables: &variables),
            "\(place)\nstandard output was:\n\(result.text)")
        let errors = ExpectedText(lines: command.errors)
        #expect(
            try errors.matches(result.errors, variables: &variables),
            "\(place)\nstandard error was:\n\(result.errors)")
    }

    private func moveClock(_ text: String) throws {
        if let days = Int64(text.dropFirst().dropLast()), text.hasPrefix("+"), text.hasSuffix("d") {
            clock.advance(days: days)
        } else if let seconds = Int64(text.dropFirst().dropLast()), text.hasPrefix("+"),
            text.hasSuffix("s")
        {
            clock.move(to: clock.now.adding(seconds: seconds))
        } else {
            clock.move(to: try #require(Timestamp(rfc3339: text), "\(name): no time: \(text)"))
        }
    }

    private func perform(_ command: Transcript.Command) async throws -> Captured {
        guard command.text == "purser" || command.text.hasPrefix("purser ") else {
            let all = environment.merging(variables) { $1 }
            let result = try ForeignProcess.run(
                "sh", ["-c", "cd \"$WORK\" || exit 1\n\(command.text)"], environment: all)
            return Captured(
                status: result.status, output: result.output, errors: result.errorText)
        }
        var words = try ShellWords(command.text, variables: variables).words
        words.removeFirst()
        let target = Self.take(">", from: &words)
        let source = Self.take("<", from: &words)
        let output = CapturingSink()
        let errors = CapturingSink()
        let status = await Commands.run(
            in: capturingContext(
                words, output: output, errors: errors,
                input: source.map { folder.read($0) } ?? [], environment: environment,
                clock: clock, workingDirectory: folder.path))
        guard let target else {
            return Captured(status: status, output: output.bytes, errors: errors.text)
        }
        folder.write(target, output.bytes)
        return Captured(status: status, output: [], errors: errors.text)
    }

    /// Takes `mark FILE` off the end of the words.
    private static func take(_ mark: String, from words: inout [String]) -> String? {
        guard words.count >= 2, words[words.count - 2] == mark else { return nil }
        defer { words.removeLast(2) }
        return words.last
    }
}

/// A command line's words by the shell's simplest rules: blanks, quotes, backslash, `$NAME`.
struct ShellWords {
    private(set) var words: [String] = []

    init(_ line: String, variables: [String: String]) throws {
        var word: String?
        var quote: Character?
        var rest = Substring(line)
        while let character = rest.popFirst() {
            switch (character, quote) {
            case ("'", nil), ("\"", nil):
                quote = character
                word = word ?? ""
            case (_, .some(let open)) where character == open: quote = nil
            case ("\\", nil), ("\\", "\""): word = (word ?? "") + String(rest.popFirst() ?? "\\")
            case ("$", nil), ("$", "\""):
                let name = rest.prefix { $0.isLetter }
                let value = try #require(variables[String(name)], "no variable $\(name)")
                rest = rest.dropFirst(name.count)
                word = (word ?? "") + value
            case (" ", nil):
                if let word { words.append(word) }
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        if let word { words.append(word) }
    }
}
