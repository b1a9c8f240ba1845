import Clocks
import Locks
import Secrets
import TestSupport

@testable import Commands

/// A sink that keeps what is written.
final class CapturingSink: OutputSink {
    private let kept = Locked<[UInt8]>([])

    func write(_ bytes: [UInt8]) { kept.withLock { $0 += bytes } }

    var isClosed: Bool { false }
    func checkReader() {}
    var bytes: [UInt8] { kept.withLock { $0 } }
    var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// Standard input with given bytes.
struct GivenInput: InputSource {
    let bytes: [UInt8]

    func readAll(limit: Int) throws -> [UInt8] {
        guard bytes.count <= limit else {
            throw CommandLineError.inputTooLarge("standard input", limit: limit)
        }
        return bytes
    }
}

/// Somebody at a terminal who types these lines, one for each question.
final class TypedAnswers: SecretPrompt {
    private let lines: Locked<[String]>

    init(_ lines: [String]) { self.lines = Locked(lines) }

    func ask(_ question: String, for what: String) throws -> SecretBytes? {
        let line = lines.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        return line.map { SecretBytes(copying: $0.utf8) }
    }

    func askAloud(_ question: String, for what: String) throws -> String? {
        lines.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}

/// What one run in this process has left.
struct Captured {
    let status: Int32
    let output: [UInt8]
    let errors: String

    var text: String { String(decoding: output, as: UTF8.self) }
}

/// A world for commands, made of values; nobody sits at a terminal unless answers are given.
func capturingContext(
    _ arguments: [String], output: CapturingSink, errors: CapturingSink, input: [UInt8] = [],
    answers: [String] = [], environment: [String: String] = [:],
    clock: any WallClock = SystemClock(), workingDirectory: String = "/"
) -> Context {
    Context(
        arguments: arguments, environment: environment, clock: clock, output: output,
        errors: errors, input: GivenInput(bytes: input), terminal: TerminalFacts(),
        prompt: TypedAnswers(answers), workingDirectory: workingDirectory,
        makeReference: { "0000" })
}

/// Runs `purser` with these arguments in this process, against `table`.
func purser(
    _ arguments: String..., input: [UInt8] = [], table: CommandTable = .standard
) async -> Captured {
    let output = CapturingSink()
    let errors = CapturingSink()
    let context = capturingContext(arguments, output: output, errors: errors, input: input)
    let status = await CommandRunner(context: context, table: table).run()
    return Captured(status: status.code, output: output.bytes, errors: errors.text)
}
