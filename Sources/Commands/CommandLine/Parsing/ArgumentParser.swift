import Merchants

/// Reads a command line against the table.
///
/// The conventions are those of GNU getopt_long(3) without abbreviations: `--flag value`,
/// `--flag=value`, flags and arguments in any order, `--` ends the flags. Stricter where a slip
/// could do harm: values are not empty, and one that looks like a flag needs the equals sign.
struct ArgumentParser: Sendable {
    let table: CommandTable

    /// Parses the words after the program's name; never fails, but may find a fault.
    func parse(_ words: [String]) -> ParsedCommandLine {
        var pass = ParsingPass(table: table, words: words)
        pass.run()
        return pass.line
    }
}

/// One walk along the words.
private struct ParsingPass {
    let table: CommandTable
    let words: [String]
    var line = ParsedCommandLine()
    private var next = 0
    private var positionals: [String] = []
    private var flagsEnded = false
    private var commandIsUnknown = false
    /// The first fault; an unknown flag is judged at the end, when the verb is known.
    private var firstFault: Fault?

    private enum Fault {
        case known(CommandLineError)
        case unknownFlag(String)
    }

    init(table: CommandTable, words: [String]) {
        self.table = table
        self.words = words
    }

    mutating func run() {
        // What is not UTF-8 was repaired with this character on its way here; a name that was
        // changed must not be acted on.
        if let bad = words.firstIndex(where: { $0.unicodeScalars.contains("\u{FFFD}") }) {
            note(.notUTF8(position: bad + 1))
        }
        while next < words.count {
            let word = words[next]
            next += 1
            if flagsEnded || word == "-" || !word.hasPrefix("-") {
                take(positional: word)
            } else if word == "--" {
                flagsEnded = true
            } else {
                take(flag: word)
            }
        }
        finish()
    }

    private mutating func note(_ error: CommandLineError) {
        if firstFault == nil { firstFault = .known(error) }
    }
}

// MARK: - Flags

extension ParsingPass {
    private mutating func take(flag word: String) {
        if word == GlobalOptions.shortHelp {
            line.values.options[GlobalOptions.helpOption.name] = [""]
            return
        }
        let equals = word.firstIndex(of: "=")
        let spelling = String(word[..<(equals ?? word.endIndex)])
        let inline = equals.map { String(word[word.index(after: $0)...]) }
        guard let option = option(named: spelling) else {
            if firstFault == nil { firstFault = .unknownFlag(spelling) }
            // A flag before the verb, misplaced or mistyped: its value must not be taken for the
            // verb.
            if inline == nil, line.verb == nil, table.probablyTakesValue(spelling) { next += 1 }
            return
        }
        guard let valueName = option.value else {
            if inline != nil { note(.valueNotTaken(spelling)) }
            line.values.options[option.name] = [""]
            return
        }
        guard let value = inline ?? separateValue(of: spelling, called: valueName) else { return }
        store(value, for: option)
    }

    private func option(named spelling: String) -> Option? {
        guard spelling.hasPrefix("--") else { return nil }
        let name = spelling.dropFirst(2)
        return (line.verb?.options ?? []).first { $0.name == name }
            ?? GlobalOptions.all.first { $0.name == name }
    }

    private mutating func separateValue(of flag: String, called valueName: String) -> String? {
        guard next < words.count else {
            note(.missingValue(flag, value: valueName))
            return nil
        }
        let value = words[next]
        guard value == "-" || !value.hasPrefix("-") else {
            note(.flagAsValue(flag, value: isFlagShaped(value) ? value : "-..."))
            return nil
        }
        next += 1
        return value
    }

    private mutating func store(_ value: String, for option: Option) {
        let flag = "--\(option.name)"
        check(
            value, of: flag, kind: option.kind,
            acceptsStandardInput: option.acceptsStandardInput)
        let earlier = line.values.options[option.name] ?? []
        if earlier.contains(value) { return }
        if !earlier.isEmpty && !option.isRepeated { note(.conflictingValues(flag)) }
        line.values.options[option.name] = earlier + [value]
    }

    private mutating func check(
        _ value: String, of name: String, kind: ValueKind, acceptsStandardInput: Bool
    ) {
        if value.isEmpty { return note(.emptyValue(name)) }
        if value == "-", kind == .file || kind == .folder, !acceptsStandardInput {
            return note(.noStandardInput(name))
        }
        if let allowed = kind.allowed, !allowed.contains(value) {
            note(.notOneOf(name, text: value, allowed: allowed.joined(separator: ", ")))
        }
    }
}

// MARK: - Words and arguments

extension ParsingPass {
    private mutating func take(positional word: String) {
        // After a wrong word nothing is known about those that follow.
        if commandIsUnknown { return }
        guard line.verb == nil else {
            positionals.append(word)
            return
        }
        line.path.append(word)
        line.verb = table.verb(at: line.path)
        if line.verb == nil && table.group(at: line.path) == nil {
            let words = line.path.joined(separator: " ")
            note(
                .unknownCommand(words, didYouMean: NearestName.command(to: line.path, in: table)))
            line.path.removeLast()
            commandIsUnknown = true
        }
    }

    private mutating func finish() {
        if let verb = line.verb {
            assign(positionals, of: verb)
            let missing = verb.options.first { $0.isRequired && !line.values.isSet($0) }
            if let missing {
                note(.missingFlag(missing.spelling, usage: verb.shortSynopsis))
            }
        } else if firstFault == nil {
            line.isIncomplete = true
            let command = ([Program.name] + line.path).joined(separator: " ")
            note(.incompleteCommand(command))
        }
        switch firstFault {
        case .known(let error): line.fault = error
        case .unknownFlag(let flag):
            line.fault = UnknownFlag(flag: flag, verb: line.verb, table: table).error
        case nil: break
        }
    }

    /// A merchant identifier in another argument's place, and something else in its own.
    private func swapped(_ given: [String], of verb: Verb) -> CommandLineError? {
        func isIdentifier(_ text: String) -> Bool { (try? MerchantIdentifier(text)) != nil }
        let pairs = zip(verb.arguments, given)
        guard let own = pairs.first(where: { $0.0.kind == .merchant && !isIdentifier($0.1) }),
            let other = pairs.first(where: { $0.0.kind != .merchant && isIdentifier($0.1) })
        else { return nil }
        return .swappedArguments(
            own.0.name, text: own.1, with: other.0.name, usage: verb.shortSynopsis)
    }

    private mutating func assign(_ given: [String], of verb: Verb) {
        if let swapped = swapped(given, of: verb) { note(swapped) }
        var rest = given[...]
        for argument in verb.arguments {
            let taken = argument.isRepeated ? rest.count : min(1, rest.count)
            guard taken > 0 else { continue }
            for value in rest.prefix(taken) {
                check(
                    value, of: argument.name, kind: argument.kind,
                    acceptsStandardInput: argument.acceptsStandardInput)
            }
            line.values.arguments[argument.name] = Array(rest.prefix(taken))
            rest = rest.dropFirst(taken)
        }
        let missing = verb.arguments.filter {
            !$0.isOptional && line.values.arguments[$0.name] == nil
        }
        if !missing.isEmpty {
            note(.missingArguments(missing.map(\.name), usage: verb.shortSynopsis))
        }
        if let extra = rest.first {
            note(.extraArgument(extra, usage: verb.shortSynopsis))
        }
    }
}
