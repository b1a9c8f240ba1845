/// purser(1) in mdoc(7), from the table.
struct ManualPage {
    let table: CommandTable

    /// The page, for `man -l`, groff or mandoc.
    var source: String {
        let parts = [
            header, synopsis, description, commands, globalFlags,
            entries("ENVIRONMENT", Program.environment, macro: "Ev"), files, exitStatus, examples,
            security,
        ]
        return parts.joined()
    }

    private var header: String {
        """
        .\\" Made by: \(Program.name) man
        .Dd \(Program.date)
        .Dt \(Program.name.uppercased()) 1
        .Os
        .Sh NAME
        .Nm \(Program.name)
        .Nd \(Roff.text(Program.summary))

        """
    }

    private var synopsis: String {
        """
        .Sh SYNOPSIS
        .Nm
        .Ar command
        .Op Ar argument ...
        .Op Ar flag ...

        """
    }

    private var description: String {
        ".Sh DESCRIPTION\n" + paragraphs(Program.discussion + Program.flagRules)
    }

    private var commands: String {
        var page = ".Sh COMMANDS\n"
        for verb in table.shown {
            page += ".Ss \(Roff.text(verb.path.joined(separator: " ")))\n"
            page += ".Nm\n.Cm \(verb.path.map(Roff.argument).joined(separator: " "))\n"
            page += verb.arguments.map(synopsis).joined()
            page += verb.options.map(synopsis).joined()
            page += ".Pp\n" + Roff.sentence(verb.summary)
            page += (verb.discussion + [verb.needsSentence].compactMap { $0 })
                .map { ".Pp\n" + Roff.lines($0) }.joined()
            page += list(verb.arguments.map { (item(for: $0), $0.fullHelp) })
            page += list(verb.options.map { (item(for: $0), $0.help) })
            page += list(verb.statuses.map { ("\($0.status.code)", $0.meaning) })
        }
        return page
    }

    private var globalFlags: String {
        ".Sh GLOBAL FLAGS\n" + bareList(GlobalOptions.all.map { (item(for: $0), $0.help) })
    }

    private var files: String {
        ".Sh FILES\n" + Roff.lines("In the home:")
            + bareList(Program.files.map { ("Pa \(Roff.argument($0.name))", $0.meaning) })
    }

    private var exitStatus: String {
        ".Sh EXIT STATUS\n"
            + bareList(CommandStatus.table.map { ("\($0.status.code)", $0.meaning) })
    }

    private var examples: String {
        ".Sh EXAMPLES\n"
            + table.shown.flatMap(\.examples).map { example in
                Roff.sentence(example.comment, ending: ":")
                    + ".Pp\n.Dl \(Roff.literal(example.command))\n.Pp\n"
            }.joined().dropLast(".Pp\n".count)
    }

    private var security: String {
        ".Sh SECURITY CONSIDERATIONS\n" + paragraphs(Program.security)
    }
}

// MARK: - Pieces

extension ManualPage {
    private func entries(_ title: String, _ entries: [Program.Entry], macro: String) -> String {
        ".Sh \(title)\n"
            + bareList(entries.map { ("\(macro) \(Roff.argument($0.name))", $0.meaning) })
    }

    private func paragraphs(_ texts: [String]) -> String {
        texts.map(Roff.lines).joined(separator: ".Pp\n")
    }

    private func synopsis(_ argument: Argument) -> String {
        let more = argument.isRepeated ? " ..." : ""
        let input = argument.acceptsStandardInput ? " | Fl" : ""
        let text = "Ar \(Roff.argument(argument.name))\(input)\(more)"
        return argument.isOptional ? ".Op \(text)\n" : ".\(text)\n"
    }

    private func synopsis(_ option: Option) -> String {
        let text = item(for: option)
        return (option.isRequired ? ".\(text)\n" : ".Op \(text)\n")
            + (option.isRepeated ? ".No ...\n" : "")
    }

    private func item(for argument: Argument) -> String {
        "Ar \(Roff.argument(argument.name))"
    }

    private func item(for option: Option) -> String {
        let isHelp = option.name == GlobalOptions.helpOption.name
        let value = option.value.map { " Ar \(Roff.argument($0))" } ?? ""
        return (isHelp ? "Fl h , " : "") + "Fl -\(option.name)\(value)"
    }

    private func list(_ entries: [(term: String, meaning: String)]) -> String {
        entries.isEmpty ? "" : ".Pp\n" + bareList(entries)
    }

    private func bareList(_ entries: [(term: String, meaning: String)]) -> String {
        ".Bl -tag -width Ds -compact\n"
            + entries.map { ".It \($0.term)\n" + Roff.sentence($0.meaning) }.joined() + ".El\n"
    }
}

/// Text as mdoc input.
enum Roff {
    /// Prose on one line: backslashes and hyphens as such, no control line by accident.
    static func text(_ text: String) -> String {
        var safe = ""
        for character in text {
            switch character {
            case "\\": safe += "\\e"
            case "-": safe += "\\-"
            default: safe.append(character)
            }
        }
        let first = safe.first
        return first == "." || first == "'" ? "\\&" + safe : safe
    }

    /// A summary as a sentence: capital letter and full stop.
    static func sentence(_ summary: String, ending: String = ".") -> String {
        lines(summary.prefix(1).uppercased() + summary.dropFirst() + ending)
    }

    /// Prose with each sentence on lines of its own, as mdoc wants it for spacing.
    static func lines(_ prose: String) -> String {
        var sentences: [[String]] = [[]]
        for word in prose.split(separator: " ") {
            sentences[sentences.count - 1].append(String(word))
            if let last = word.last, ".:?!".contains(last) { sentences.append([]) }
        }
        // Short of mdoc's 80 columns, because escapes take some more.
        return sentences.filter { !$0.isEmpty }
            .flatMap { Prose.wrap(words: $0, width: 72).split(separator: "\n") }
            .map { text(String($0)) + "\n" }.joined()
    }

    /// One word behind a macro, which must not be taken for a macro itself.
    static func argument(_ word: String) -> String {
        "\\&" + text(word)
    }

    /// A command to copy, behind `.Dl`: each word protected from being read as a macro.
    static func literal(_ command: String) -> String {
        command.split(separator: " ").map { argument(String($0)) }.joined(separator: " ")
    }
}
