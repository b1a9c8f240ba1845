package import Clocks

/// All that a command takes from outside: arguments, environment, time, streams, terminal.
///
/// Nothing below reads a global, so that a command can be run many times in one process, by tests
/// above all.
package struct Context: Sendable {
    /// The words after the program's name.
    package var arguments: [String]
    /// The environment's variables.
    package var environment: [String: String]
    /// The time of day.
    package var clock: any WallClock
    /// Results.
    package var output: any OutputSink
    /// Errors, hints and warnings.
    package var errors: any OutputSink
    /// Standard input.
    package var input: any InputSource
    /// Who looks at the streams.
    package var terminal: TerminalFacts
    /// Where to ask for a passphrase or a password.
    package var prompt: any SecretPrompt
    /// The folder at which relative paths start; absolute.
    package var workingDirectory: String
    /// Draws a new reference, by which an internal error is found in the log.
    package var makeReference: @Sendable () -> String

    /// Puts a context together; ``live(arguments:)`` makes that of a process.
    package init(
        arguments: [String], environment: [String: String], clock: any WallClock,
        output: any OutputSink, errors: any OutputSink, input: any InputSource,
        terminal: TerminalFacts, prompt: any SecretPrompt, workingDirectory: String,
        makeReference: @escaping @Sendable () -> String
    ) {
        self.arguments = arguments
        self.environment = environment
        self.clock = clock
        self.output = output
        self.errors = errors
        self.input = input
        self.terminal = terminal
        self.prompt = prompt
        self.workingDirectory = workingDirectory
        self.makeReference = makeReference
    }

    /// `path` as an absolute one; a relative path starts at ``workingDirectory``.
    package func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : "\(workingDirectory)/\(path)"
    }
}

/// Which of the streams are terminals, and how wide it is.
package struct TerminalFacts: Sendable, Equatable {
    /// Standard input.
    package var inputIsTerminal: Bool
    /// Standard output.
    package var outputIsTerminal: Bool
    /// Standard error.
    package var errorsIsTerminal: Bool
    /// Columns of standard output's terminal; nil when it is none.
    package var columns: Int?

    /// By default: no terminal anywhere.
    package init(
        inputIsTerminal: Bool = false, outputIsTerminal: Bool = false,
        errorsIsTerminal: Bool = false, columns: Int? = nil
    ) {
        self.inputIsTerminal = inputIsTerminal
        self.outputIsTerminal = outputIsTerminal
        self.errorsIsTerminal = errorsIsTerminal
        self.columns = columns
    }

    /// The width at which prose is wrapped: 80 columns, and up to 100 on a wider terminal.
    package var proseWidth: Int { min(max(columns ?? 80, 80), 100) }
}
