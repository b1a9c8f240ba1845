/// The help of the program, of a group, or of one verb.
struct HelpReport: Report {
    let table: CommandTable
    /// Empty for the program.
    let path: [String]

    private var verb: Verb? { table.verb(at: path) }
    private var group: VerbGroup? { table.group(at: path) }

    /// `purser`, `purser certificate`, `purser certificate request`.
    private var command: String { ([Program.name] + path).joined(separator: " ") }

    private var summary: String { verb?.summary ?? group?.summary ?? Program.summary }

    func text(width: Int) -> String {
        let title = Prose.wrap("\(command) - \(summary)", width: width)
        let sections: [String]
        if let verb {
            sections = VerbHelp(verb: verb, width: width).sections
        } else if let group {
            sections = groupSections(group, width: width)
        } else {
            sections = programSections(width: width)
        }
        return ([title] + sections.filter { !$0.isEmpty }).joined(separator: "\n")
    }

    private func programSections(width: Int) -> [String] {
        let commands = table.words(after: []).map { word in
            let verbs = table.words(after: [word.name]).map(\.name)
            let more = verbs.isEmpty ? "" : ": " + verbs.joined(separator: ", ")
            return (term: word.name, meaning: word.summary + more)
        }
        return [
            "Usage:\n  \(Program.name) COMMAND [ARGUMENT...] [FLAG...]\n",
            Program.discussion.map { Prose.wrap($0, width: width) }.joined(separator: "\n"),
            "Commands:\n" + Prose.definitions(commands, width: width),
            "Global flags:\n" + Self.flags(GlobalOptions.all, width: width),
            Program.flagRules.map { Prose.wrap($0, width: width) }.joined(separator: "\n"),
            Prose.wrap(
                "See \(Program.name) help COMMAND for one command, \(Program.name) man for the "
                    + "manual page.", width: width),
        ]
    }

    private func groupSections(_ group: VerbGroup, width: Int) -> [String] {
        let verbs = table.verbs(in: group)
        let usage = verbs.map { verb in
            Prose.wrap(
                words: [verb.command] + verb.synopsisParts, width: width, indent: 2, hanging: 6)
        }
        let summaries = verbs.map { (term: $0.path.last ?? "", meaning: $0.summary) }
        return [
            "Usage:\n" + usage.joined(),
            "Commands:\n" + Prose.definitions(summaries, width: width),
            Prose.wrap(
                "See \(Program.name) help \(group.name) COMMAND for one of them.", width: width),
        ]
    }

    static func flags(_ options: [Option], width: Int) -> String {
        Prose.definitions(
            options.map { option in
                let isHelp = option.name == GlobalOptions.helpOption.name
                let short = isHelp ? "\(GlobalOptions.shortHelp), " : ""
                let repeated = option.isRepeated ? " (may be repeated)" : ""
                return (short + option.spelling, option.help + repeated)
            }, width: width)
    }
}

/// The sections of one verb's help.
private struct VerbHelp {
    let verb: Verb
    let width: Int

    var sections: [String] {
        [
            "Usage:\n"
                + Prose.wrap(
                    words: [verb.command] + verb.synopsisParts, width: width, indent: 2,
                    hanging: 6),
            verb.discussion.map { Prose.wrap($0, width: width) }.joined(separator: "\n"),
            verb.needsSentence.map { Prose.wrap($0, width: width) } ?? "",
            section("Arguments", verb.arguments.map { ($0.name, $0.fullHelp) }),
            verb.options.isEmpty
                ? "" : "Flags:\n" + HelpReport.flags(verb.options, width: width),
            examples,
            section("Exit status", verb.statuses.map { ("\($0.status.code)", $0.meaning) }),
            Prose.wrap(
                "Global flags and exit statuses: \(Program.name) help, \(Program.name) man.",
                width: width),
        ]
    }

    private func section(_ title: String, _ entries: [(term: String, meaning: String)]) -> String {
        entries.isEmpty ? "" : "\(title):\n" + Prose.definitions(entries, width: width)
    }

    private var examples: String {
        guard !verb.examples.isEmpty else { return "" }
        return "Examples:\n"
            + verb.examples.map { example in
                // A command is not broken: it is there to be copied.
                "  \(example.command)\n" + Prose.wrap(example.comment, width: width, indent: 6)
            }.joined()
    }
}

extension Verb {
    /// What must be there first, as a sentence; nil when nothing must.
    var needsSentence: String? {
        switch needs {
        case .nothing: nil
        case .home: "Needs a home, but no key."
        case .key: "Needs a home and a secret that opens it: key file, passphrase or recovery key."
        }
    }
}

extension Argument {
    /// The help with the closed list of values, where there is one.
    var fullHelp: String {
        kind.allowed.map { "\(help): \($0.joined(separator: ", "))" } ?? help
    }
}

// MARK: - JSON

extension HelpReport {
    private enum Key: CodingKey {
        case command, summary, usage, commands, arguments, flags
    }

    private struct Named: Encodable {
        let name: String
        let summary: String
    }

    func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        try object.encode(command, forKey: .command)
        try object.encode(summary, forKey: .summary)
        try object.encode(verb?.synopsis ?? "\(command) COMMAND", forKey: .usage)
        let words = verb == nil ? table.words(after: path) : []
        try object.encode(
            words.map { Named(name: $0.name, summary: $0.summary) }, forKey: .commands)
        try object.encode(
            (verb?.arguments ?? []).map { Named(name: $0.name, summary: $0.fullHelp) },
            forKey: .arguments)
        try object.encode(
            (verb?.options ?? GlobalOptions.all).map {
                Named(name: "--\($0.name)", summary: $0.help)
            }, forKey: .flags)
    }
}
