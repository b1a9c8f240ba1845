/// One command of `purser`: what it is called, what it takes, and what it does.
///
/// A verb is a value. The parser, the help, the completions and the manual page all read it, so
/// nothing about a command is written down twice.
struct Verb: Sendable {
    /// Its words, such as `certificate request`; all but the last name a ``VerbGroup``.
    let path: [String]
    /// What it does, as an order: lower case, without a full stop.
    let summary: String
    /// Paragraphs for the help and the manual page.
    let discussion: [String]
    /// Positional arguments in order; required ones first, a repeated one last.
    let arguments: [Argument]
    /// Flags besides the global ones.
    let options: [Option]
    let examples: [Example]
    /// Statuses that mean something special here, beside ``CommandStatus/table``.
    let statuses: [NamedStatus]
    /// What has to be there before it can run; for the documents only.
    let needs: Needs
    /// Whether it has changed something by the time it prints its result.
    let isAct: Bool
    /// Left out of help, completions and the manual page.
    let isHidden: Bool
    /// The status of every failure of this verb, usage included; nil for the general ones.
    let failureStatus: CommandStatus?
    /// What every failure of this verb says on standard output, for who reads nothing else.
    let failureLine: String?
    /// The work itself, which ends with a status of its own by throwing ``CommandStatus``.
    let run: @Sendable (Invocation) async throws -> Void

    /// What a verb cannot do without.
    enum Needs: Sendable {
        case nothing
        /// A home made by `init`.
        case home
        /// A home, and the vault key through a key file or a passphrase.
        case key
    }

    init(
        _ path: String..., summary: String, discussion: [String] = [], arguments: [Argument] = [],
        options: [Option] = [], examples: [Example] = [], statuses: [NamedStatus] = [],
        needs: Needs, isAct: Bool = false, isHidden: Bool = false,
        failureStatus: CommandStatus? = nil,
        failureLine: String? = nil,
        run: @escaping @Sendable (Invocation) async throws -> Void
    ) {
        self.path = path
        self.summary = summary
        self.discussion = discussion
        self.arguments = arguments
        self.options = options
        self.examples = examples
        self.statuses = statuses
        self.needs = needs
        self.isAct = isAct
        self.isHidden = isHidden
        self.failureStatus = failureStatus
        self.failureLine = failureLine
        self.run = run
    }

    /// Its words behind the program's name: `purser certificate request`.
    var command: String { ([Program.name] + path).joined(separator: " ") }

    /// The whole line in brief: `purser certificate request MERCHANT KIND [--out FILE]`.
    var synopsis: String { ([command] + synopsisParts).joined(separator: " ") }

    /// The parts of the synopsis that must not be broken across lines.
    var synopsisParts: [String] {
        arguments.map(\.synopsis) + options.map(\.synopsis)
    }

    /// The line without what may be left out, for hints.
    var shortSynopsis: String {
        let required =
            arguments.filter { !$0.isOptional }.map(\.synopsis)
            + options.filter(\.isRequired).map(\.synopsis)
        return ([command] + required).joined(separator: " ")
    }
}

/// The first word of several verbs, such as `certificate`.
struct VerbGroup: Sendable {
    let name: String
    /// What its verbs are about, as a noun phrase: lower case, without a full stop.
    let summary: String
}

/// A line to try, with what it does.
struct Example: Sendable {
    let command: String
    let comment: String

    init(_ command: String, _ comment: String) {
        self.command = command
        self.comment = comment
    }
}

/// An exit status with what it means.
struct NamedStatus: Sendable {
    let status: CommandStatus
    let meaning: String

    init(_ code: Int32, _ meaning: String) {
        status = CommandStatus(code)
        self.meaning = meaning
    }
}
