import Clocks
import Merchants

/// One run of one verb: its values, the global flags, and the world around it.
struct Invocation: Sendable {
    let verb: Verb
    let values: ParsedValues
    let global: GlobalOptions
    let context: Context
    /// The table the verb stands in, for verbs about verbs.
    let table: CommandTable
    /// The file of `--config`.
    let namedSettings: NamedSettings

    init(verb: Verb, values: ParsedValues, context: Context, table: CommandTable) {
        self.verb = verb
        self.values = values
        self.global = GlobalOptions(values)
        self.context = context
        self.table = table
        namedSettings = NamedSettings(global.config.map(context.absolute))
    }
}

// MARK: - Arguments

extension Invocation {
    /// The value of a required argument; the parser has seen to it that there is one.
    subscript(argument: Argument) -> String {
        guard let value = optional(argument) else {
            preconditionFailure("\(verb.command) has no required argument \(argument.name)")
        }
        return value
    }

    /// The value of an argument that may be left out.
    func optional(_ argument: Argument) -> String? {
        values.arguments[argument.name]?.first
    }

    /// All values of a repeated argument.
    func all(_ argument: Argument) -> [String] {
        values.arguments[argument.name] ?? []
    }

    /// An argument of kind ``ValueKind/kind``; the parser has refused all other words.
    func kind(_ argument: Argument) -> CredentialKind {
        guard let kind = CredentialKind(rawValue: self[argument]) else {
            preconditionFailure("\(argument.name) is not declared as a kind")
        }
        return kind
    }
}

// MARK: - Flags

extension Invocation {
    /// The flag's value; nil when it is absent.
    subscript(option: Option) -> String? { values[option] }

    /// The value of a flag that the table marks as required.
    func required(_ option: Option) -> String {
        guard let value = values[option] else {
            preconditionFailure("--\(option.name) is not declared as required")
        }
        return value
    }

    /// All values of a repeated flag, each once, in the order given.
    func all(_ option: Option) -> [String] {
        values.options[option.name] ?? []
    }

    /// Whether a flag without value is there.
    func isSet(_ option: Option) -> Bool { values.isSet(option) }

    /// A flag of kind ``ValueKind/kind``; nil when it is absent.
    func kind(_ option: Option) -> CredentialKind? {
        values[option].flatMap(CredentialKind.init(rawValue:))
    }

    /// A path as an absolute one; nil when the flag is absent.
    func path(_ option: Option) -> String? {
        values[option].map(context.absolute)
    }

    /// A whole number within `range`; nil when the flag is absent.
    ///
    /// - Throws: ``CommandLineError/notANumber(_:text:range:)``.
    func integer(_ option: Option, in range: ClosedRange<Int>) throws -> Int? {
        guard let text = values[option] else { return nil }
        guard let number = Int(text), range.contains(number), !text.hasPrefix("+") else {
            throw CommandLineError.notANumber(
                "--\(option.name)", text: text,
                range: "\(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Whether the value is as long as a date alone.
    func isDate(_ option: Option) -> Bool { values[option]?.utf8.count == 10 }

    /// A moment: RFC 3339, or a date alone for the beginning of that day in UTC; nil when the flag is absent.
    ///
    /// - Throws: ``CommandLineError/notATime(_:text:)``.
    func time(_ option: Option) throws -> Timestamp? {
        guard let text = values[option] else { return nil }
        guard let moment = Timestamp(rfc3339: isDate(option) ? "\(text)T00:00:00Z" : text) else {
            throw CommandLineError.notATime("--\(option.name)", text: text)
        }
        return moment
    }
}

// MARK: - Output

extension Invocation {
    /// Prints the verb's result, as text or as one JSON value.
    ///
    /// - Throws: ``CommandLineError/outputNotWritten(_:reason:)``.
    func print(_ report: some Report) throws {
        if global.json {
            try context.output.write(report.json())
        } else {
            try context.output.write(Array(report.text(width: context.terminal.proseWidth).utf8))
        }
    }

    /// Prints bytes as they are, such as Apple's answer or a PEM block.
    ///
    /// - Throws: ``CommandLineError/outputNotWritten(_:reason:)``.
    func write(_ bytes: [UInt8]) throws {
        try context.output.write(bytes)
    }

    /// Tells of something that is not a failure, on standard error.
    func warn(_ text: String, hint: String? = nil) {
        context.tell("warning", text)
        if let hint { context.tell("hint", hint) }
    }
}

extension Context {
    /// One line on standard error, such as `purser: hint: …`; what cannot be written is lost.
    func tell(_ sort: String, _ text: String) {
        let line = "\(Program.name): \(sort): \(TerminalText.escaped(text))\n"
        try? errors.write(Array(line.utf8))
    }
}
