/// The values on a command line, by the names in the table.
struct ParsedValues: Sendable, Equatable {
    /// Positional arguments by name, in the order given.
    var arguments: [String: [String]] = [:]
    /// Values of flags by name, in the order given and each once; a flag without value has `""`.
    var options: [String: [String]] = [:]

    /// The first value of a flag; nil when it is absent.
    subscript(option: Option) -> String? {
        options[option.name]?.first
    }

    /// Whether the flag is there.
    func isSet(_ option: Option) -> Bool {
        options[option.name] != nil
    }
}

/// All that can be told from a command line, wrong ones included.
///
/// Parsing goes on after a fault, because what follows decides how the fault is reported: whether
/// `--json` is there, and which verb's failure status applies.
struct ParsedCommandLine: Sendable {
    /// The words of the verb, or of the group when the line ends early.
    var path: [String] = []
    /// The verb, once its words are complete.
    var verb: Verb?
    var values = ParsedValues()
    /// `--help` or `-h` stands somewhere.
    var wantsHelp: Bool { values.isSet(GlobalOptions.helpOption) }
    /// `--version` stands somewhere.
    var wantsVersion: Bool { values.isSet(GlobalOptions.versionOption) }
    /// `--json` stands somewhere.
    var wantsJSON: Bool { values.isSet(GlobalOptions.jsonOption) }
    /// The first fault of the line, if it has any.
    var fault: CommandLineError?
    /// Whether the line names no verb because it stops after the program or a group.
    var isIncomplete = false
}
