/// One thing that is wrong with the settings, and where it was given.
package enum SettingFault: Sendable, Equatable {
    /// `purser.json5` has a key that means nothing; `nearest` is the one that was probably meant.
    case unknownKey(_ key: String, nearest: String?)
    /// The value is of the wrong sort, or outside its bounds.
    case wrongValue(_ key: String, expected: String, source: SettingSource)
    /// Several files unlock the vault, given equally strongly: which is meant cannot be told.
    case severalUnlockers(_ keys: [String], sources: [SettingSource])
    /// Two values do not go together.
    case contradiction(_ what: String)

    /// One line, lower case, without a full stop, and without the value itself.
    package var text: String {
        switch self {
        case .unknownKey(let key, let nearest?):
            "there is no setting \"\(Self.shown(key))\", perhaps \"\(nearest)\" is meant"
        case .unknownKey(let key, nil): "there is no setting \"\(Self.shown(key))\""
        case .wrongValue(let key, let expected, let source):
            "\(key) must be \(expected) (\(source))"
        case .severalUnlockers(let keys, _):
            keys.joined(separator: " and ") + " are given in one place"
        case .contradiction(let what): what
        }
    }

    /// What to do about it, imperative and without a full stop.
    package var remedy: String {
        switch self {
        case .unknownKey(_, let nearest?): "write \"\(nearest)\" in its place, or remove it"
        case .unknownKey(_, nil): "remove it; README.md lists all settings"
        case .wrongValue(_, _, .file): "correct it there, or remove it to have the default"
        case .wrongValue(_, _, .environment(let name)): "correct it, or run: unset \(name)"
        case .wrongValue: "correct it on the command line, or leave it out"
        case .severalUnlockers(_, let sources): Self.keepingOne(of: sources)
        case .contradiction: "change one of them; README.md lists the defaults and bounds"
        }
    }

    private static func keepingOne(of sources: [SettingSource]) -> String {
        switch sources.first {
        case .environment:
            let commands = sources.compactMap { source in
                if case .environment(let name) = source { "unset \(name)" } else { nil }
            }
            return "unset one of them: " + commands.joined(separator: ", or: ")
        case .flag: return "leave all but one of the flags out"
        case .file(let path): return "keep one of them in \(path)"
        case .standard, nil: return "keep one of them"
        }
    }

    // A key comes from a file and may be anything.
    static func shown(_ key: String) -> String {
        String(key.prefix(40).map { ("!"..."~").contains($0) ? $0 : "?" })
    }
}
