import Merchants

/// A positional argument: its name stands in the synopsis and is what an ``Invocation`` is asked for.
struct Argument: Sendable {
    /// In capitals: `MERCHANT`.
    let name: String
    let help: String
    let isOptional: Bool
    /// Takes all that is left; the last argument only.
    let isRepeated: Bool
    /// `-` stands for standard input; elsewhere it is refused.
    let acceptsStandardInput: Bool
    let kind: ValueKind

    init(
        _ name: String, _ help: String, kind: ValueKind = .text, isOptional: Bool = false,
        isRepeated: Bool = false, acceptsStandardInput: Bool = false
    ) {
        self.name = name
        self.help = help
        self.kind = kind
        self.isOptional = isOptional
        self.isRepeated = isRepeated
        self.acceptsStandardInput = acceptsStandardInput
    }

    /// As in `[MERCHANT]`, `FILE|-`, `[VERB...]`.
    var synopsis: String {
        let text = name + (acceptsStandardInput ? "|-" : "") + (isRepeated ? "..." : "")
        return isOptional ? "[\(text)]" : text
    }
}

/// A flag: `--out FILE`, or `--json` without a value.
struct Option: Sendable {
    /// Without the two hyphens.
    let name: String
    /// What the value is called, in capitals; nil when the flag takes none.
    let value: String?
    let help: String
    let isRequired: Bool
    /// May be given several times with different values.
    let isRepeated: Bool
    /// `-` stands for standard input; elsewhere it is refused.
    let acceptsStandardInput: Bool
    let kind: ValueKind

    /// A flag that takes a value.
    init(
        _ name: String, _ value: String, _ help: String, kind: ValueKind = .text,
        isRequired: Bool = false, isRepeated: Bool = false, acceptsStandardInput: Bool = false
    ) {
        self.name = name
        self.acceptsStandardInput = acceptsStandardInput
        self.value = value
        self.help = help
        self.kind = kind
        self.isRequired = isRequired
        self.isRepeated = isRepeated
    }

    /// A flag that is there or not.
    init(flag name: String, _ help: String) {
        self.name = name
        self.acceptsStandardInput = false
        self.value = nil
        self.help = help
        self.kind = .text
        self.isRequired = false
        self.isRepeated = false
    }

    /// As in `--out FILE`.
    var spelling: String { "--\(name)" + (value.map { " \($0)" } ?? "") }

    /// As in `[--environment NAME]...`.
    var synopsis: String {
        (isRequired ? spelling : "[\(spelling)]") + (isRepeated ? "..." : "")
    }
}

/// What a value names: the shells complete it, and the parser refuses what a closed list lacks.
enum ValueKind: Sendable, Equatable {
    case text
    case file
    case folder
    /// One of these words and no other.
    case values([String])
    /// One of Apple's certificate kinds.
    case kind
    case merchant
    case credential
    /// Credentials that `certificate activate` can take.
    case activatable
    /// Credentials that `certificate activated` can take.
    case recordable
    /// Credentials that `certificate rehearse` can take.
    case rehearsable
    /// Credentials that `certificate export` can take.
    case exportable
    /// Credentials that `certificate retire` can take.
    case retirable
    /// Credentials that `certificate abandon` can take.
    case abandonable
    /// Credentials that `certificate revoke` can take.
    case revocable
    /// Credentials that `certificate destroy` can take.
    case destroyable
    /// A registered domain of the merchant that stands before it.
    case domain
    case environment
    /// An environment of the merchant, or of the credential's merchant, that stands before it.
    case usableEnvironment
    /// An unlocker's id.
    case unlocker
    /// An open alert's id.
    case alert
    /// An API token's id.
    case token
    /// Words of a command, for `help`.
    case command

    /// The closed list, where there is one.
    var allowed: [String]? {
        switch self {
        case .values(let words): words
        case .kind: CredentialKind.allCases.map(\.rawValue)
        case .text, .file, .folder, .merchant, .credential, .activatable, .recordable,
            .rehearsable, .exportable, .retirable, .abandonable, .revocable, .destroyable, .domain,
            .environment, .usableEnvironment, .unlocker, .alert, .token, .command:
            nil
        }
    }

    /// What only the home knows, by the word that `__complete` is asked with.
    static let known: [ValueKind] = [
        .merchant, .credential, .activatable, .recordable, .rehearsable, .exportable, .retirable,
        .abandonable, .revocable, .destroyable, .domain, .environment, .usableEnvironment,
        .unlocker, .alert, .token,
    ]
}
