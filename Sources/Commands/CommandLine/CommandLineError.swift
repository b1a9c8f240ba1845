import Problems

/// What is wrong with a command line, or with the files and streams that it names.
enum CommandLineError: Explained, Equatable {
    /// No such verb in the table; `didYouMean` is a whole command.
    case unknownCommand(_ words: String, didYouMean: String?)
    /// Only the program or a group was named.
    case incompleteCommand(_ command: String)
    /// `use` is what to write instead.
    case unknownFlag(_ flag: String, command: String, use: String?)
    /// A verb's flag before the verb; `use` is the right order.
    case misplacedFlag(_ flag: String, use: String)
    /// A flag that would carry a secret; its value is never repeated.
    case secretOnCommandLine(_ flag: String, use: String)
    case missingArguments(_ names: [String], usage: String)
    case extraArgument(_ text: String, usage: String)
    /// Each of the two stands where the other belongs.
    case swappedArguments(_ name: String, text: String, with: String, usage: String)
    case missingFlag(_ spelling: String, usage: String)
    case missingValue(_ flag: String, value: String)
    case valueNotTaken(_ flag: String)
    case flagAsValue(_ flag: String, value: String)
    case emptyValue(_ name: String)
    case emptyPassword
    case conflictingValues(_ flag: String)
    case conflictingFlags(_ one: String, _ other: String)
    /// Nothing would come of it beside the others.
    case uselessFlag(_ flag: String, because: String)
    case notOneOf(_ name: String, text: String, allowed: String)
    case notANumber(_ name: String, text: String, range: String)
    case notATime(_ name: String, text: String)
    case badNote(_ flag: String)
    case noStandardInput(_ name: String)
    case notUTF8(position: Int)

    case inputUnreadable(_ path: String, reason: String)
    case inputTooLarge(_ path: String, limit: Int)

    case outputNotWritten(_ what: String, reason: String)
    /// The same, after the command had done what it does.
    case reportNotWritten(_ what: String, reason: String)
    /// `left` is the unlocker that it still is.
    case recoveryKeyNotShown(because: String, left: String?)

    case noTerminal(_ what: String, use: String)
    case promptAbandoned(_ what: String)
    case promptMismatch(_ what: String)
    /// Something else than `word` was typed.
    case notConfirmed(_ word: String)

    var code: String {
        switch self {
        case .unknownCommand: "usage.unknown-command"
        case .incompleteCommand: "usage.incomplete-command"
        case .unknownFlag: "usage.unknown-flag"
        case .misplacedFlag: "usage.misplaced-flag"
        case .secretOnCommandLine: "usage.secret-argument"
        case .missingArguments: "usage.missing-argument"
        case .extraArgument: "usage.extra-argument"
        case .swappedArguments: "usage.swapped-arguments"
        case .missingFlag: "usage.missing-flag"
        case .missingValue: "usage.missing-value"
        case .valueNotTaken: "usage.value-not-taken"
        case .flagAsValue: "usage.flag-as-value"
        case .emptyValue: "usage.empty-value"
        case .emptyPassword: "usage.empty-password"
        case .conflictingValues: "usage.conflicting-values"
        case .conflictingFlags: "usage.conflicting-flags"
        case .uselessFlag: "usage.useless-flag"
        case .notOneOf: "usage.unknown-value"
        case .notANumber: "usage.not-a-number"
        case .notATime: "usage.not-a-time"
        case .badNote: "usage.bad-note"
        case .noStandardInput: "usage.no-standard-input"
        case .notUTF8: "usage.bad-encoding"
        case .inputUnreadable: "input.unreadable"
        case .inputTooLarge: "input.too-large"
        case .outputNotWritten: "output.not-written"
        case .reportNotWritten: "output.report-not-written"
        case .recoveryKeyNotShown: "output.recovery-key-not-shown"
        case .noTerminal: "prompt.no-terminal"
        case .promptAbandoned: "prompt.abandoned"
        case .promptMismatch: "prompt.mismatch"
        case .notConfirmed: "prompt.not-confirmed"
        }
    }

    var summary: String {
        switch self {
        case .unknownCommand(let words, _): "there is no command \(quoted(words))"
        case .incompleteCommand(let command): "a command is missing after \(command)"
        case .unknownFlag(let flag, let command, _): "\(command) has no flag \(flag)"
        case .misplacedFlag(let flag, _): "\(flag) stands before the command it belongs to"
        case .secretOnCommandLine(let flag, _):
            "\(flag) is refused: other processes can read a command line"
        case .missingArguments(let names, _):
            names.joined(separator: " and ") + (names.count == 1 ? " is missing" : " are missing")
        case .extraArgument(let text, _): "\(quoted(text)) is one argument too many"
        case .swappedArguments(let name, let text, let other, _):
            "\(name) cannot be \(quoted(text)): it seems to be swapped with \(other)"
        case .missingFlag(let spelling, _): "\(spelling) is missing"
        case .missingValue(let flag, _): "\(flag) has no value"
        case .valueNotTaken(let flag): "\(flag) takes no value"
        case .flagAsValue(let flag, let value):
            "\(flag) has no value: what follows looks like a flag (\(value))"
        case .emptyValue(let name): "\(name) is empty"
        case .emptyPassword: "the password is empty"
        case .uselessFlag(let flag, let reason): "\(flag) has no use here: \(reason)"
        case .conflictingValues(let flag): "\(flag) is given twice with different values"
        case .conflictingFlags(let one, let other): "\(one) and \(other) exclude each other"
        case .notOneOf(let name, let text, _): "\(name) cannot be \(quoted(text))"
        case .notANumber(let name, let text, _): "\(name) cannot be \(quoted(text))"
        case .notATime(let name, let text): "\(name) is no time: \(quoted(text))"
        case .badNote(let flag): "\(flag) is empty, too long, or has a character that is not seen"
        case .noStandardInput(let name): "\(name) cannot be read from standard input"
        case .notUTF8(let position): "argument \(position) is not UTF-8 text"
        case .inputUnreadable(let path, let reason): "cannot read \(quoted(path)): \(reason)"
        case .inputTooLarge(let path, let limit):
            "\(quoted(path)) is larger than \(limit) bytes"
        case .outputNotWritten(let what, let reason): "cannot write \(what): \(reason)"
        case .reportNotWritten(let what, let reason):
            "it is done, and only the report could not be written (\(what): \(reason))"
        case .recoveryKeyNotShown(let reason, nil):
            "the recovery key could not be shown, so it opens nothing (\(reason))"
        case .recoveryKeyNotShown(let reason, let id?):
            "the recovery key could not be shown, and opens the home as \(id) (\(reason))"
        case .noTerminal(let what, _): "there is no terminal to ask for \(what) on"
        case .promptAbandoned(let what): "\(what) was not given"
        case .promptMismatch(let what): "\(what) was typed differently the second time"
        case .notConfirmed(let word): "what was typed is not \(word), so nothing was done"
        }
    }

    var remedy: String {
        switch self {
        case .unknownCommand(_, let command?): "did you mean: \(command)"
        case .unknownCommand(_, nil): "list the commands with: \(Program.name) help"
        case .incompleteCommand(let command):
            "see what can follow with: " + helpCommand(for: command)
        case .unknownFlag(_, _, let use?): "did you mean: \(use)"
        case .unknownFlag(_, let command, nil): "see its flags with: " + helpCommand(for: command)
        case .misplacedFlag(_, let use): "write: \(use)"
        case .secretOnCommandLine(_, let use): "put the secret into a file of mode 0600 and \(use)"
        case .missingArguments(_, let usage), .extraArgument(_, let usage),
            .missingFlag(_, let usage), .swappedArguments(_, _, _, let usage):
            "write: \(usage)"
        case .missingValue(let flag, let value): "write: \(flag) \(value)"
        case .valueNotTaken(let flag): "write \(flag) alone"
        case .flagAsValue(let flag, let value):
            "write \(flag)=\(value) if that is the value, or give the value before it"
        case .emptyValue(let name): "give a value, or leave \(name) out where it is optional"
        case .emptyPassword: "give one, or say that it is meant: --allow-empty-password"
        case .uselessFlag(let flag, _): "leave \(flag) out"
        case .conflictingValues(let flag): "give \(flag) once"
        case .conflictingFlags(let one, let other): "give \(one) or \(other)"
        case .notOneOf(_, _, let allowed): "use one of: \(allowed)"
        case .notANumber(_, _, let range): "use a whole number from \(range)"
        case .badNote: "use 1 to 200 visible characters on one line"
        case .notATime: "write it as 2026-03-01T08:00:00Z, or as a day in UTC: 2026-03-01"
        case .noStandardInput: "name a file (./- for one that is called -)"
        case .notUTF8: "use names in UTF-8; check the terminal's locale"
        case .inputUnreadable: "check that it is a readable file"
        case .inputTooLarge: "check that this is the right file"
        case .outputNotWritten: "make room, or write elsewhere; then run the command again"
        case .reportNotWritten:
            "do not run it again for that: \(Program.name) audit list shows what was done"
        case .recoveryKeyNotShown(_, nil):
            "print one where somebody reads it: \(Program.name) unlocker add --recovery-key"
        case .recoveryKeyNotShown(_, let id?): "remove it: \(Program.name) unlocker remove \(id)"
        case .noTerminal(_, let use): use
        case .promptAbandoned: "run the command again, or give it in a file"
        case .promptMismatch: "run the command again and type the same twice"
        case .notConfirmed(let word): "run the command again and type \(word), if it is meant"
        }
    }

    var nature: Nature {
        switch self {
        case .inputUnreadable, .inputTooLarge: .badData
        case .outputNotWritten, .reportNotWritten, .recoveryKeyNotShown: .cannotCreate
        default: .usage
        }
    }

    private func helpCommand(for command: String) -> String {
        let words = command.split(separator: " ").dropFirst()
        return ([Program.name, "help"] + words.map(String.init)).joined(separator: " ")
    }
}

/// A word of the user's between quotation marks, escaped and cut so that a message stays one line.
func quoted(_ text: String) -> String {
    let longest = 40
    let safe = TerminalText.escaped(text)
    return safe.count <= longest ? "\"\(safe)\"" : "\"\(safe.prefix(longest))...\""
}
