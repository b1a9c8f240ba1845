internal import Merchants
internal import WebServer

/// One line of the table of settings: its names, its rule, its place in ``Settings``.
struct Setting: Sendable {
    /// The key in `purser.json5`, sections joined by dots, such as `serve.drainSeconds`.
    let key: String
    /// The name on the command line without its dashes, where there is one.
    let flag: String?
    let rule: Rule
    /// One line for the documentation.
    let summary: String
    /// Reads the value out of settings.
    let read: @Sendable (Settings) -> SettingValue
    /// Puts a value that keeps the rule into settings.
    let write: @Sendable (inout Settings, SettingValue) -> Void

    /// What a value must be.
    enum Rule: Sendable {
        case integer(ClosedRange<Int>)
        case choice([String])
        case addresses
        /// Each ``WindowException`` in words.
        case windows
        case text(TextForm)
        case texts(TextForm)
        /// A file's path; in `purser.json5` it begins at the root.
        case path
        /// The same, or `credential:NAME`: a file that systemd hands over.
        case pathOrCredential
    }

    /// The variable of the environment: `PURSER_` and the key's words, such as
    /// `PURSER_SERVE_DRAIN_SECONDS`.
    var variable: String {
        key.reduce(into: "PURSER_") { name, character in
            if character == "." {
                name += "_"
            } else {
                if character.isUppercase { name += "_" }
                name += character.uppercased()
            }
        }
    }
}

// MARK: - One maker for each sort

extension Setting {
    static func integer(
        _ key: String, _ place: any WritableKeyPath<Settings, Int> & Sendable,
        _ bounds: ClosedRange<Int>, _ summary: String
    ) -> Setting {
        Setting(
            key: key, flag: nil, rule: .integer(bounds), summary: summary,
            read: { .integer($0[keyPath: place]) },
            write: { settings, value in
                if case .integer(let number) = value { settings[keyPath: place] = number }
            })
    }

    static func path(
        _ key: String, _ place: any WritableKeyPath<Settings, String?> & Sendable,
        flag: String? = nil, orCredential: Bool = false, _ summary: String
    ) -> Setting {
        Setting(
            key: key, flag: flag, rule: orCredential ? .pathOrCredential : .path, summary: summary,
            read: { $0[keyPath: place].map { .text($0) } ?? .none },
            write: { settings, value in
                if case .text(let path) = value { settings[keyPath: place] = path }
            })
    }

    static func choice<Choice: RawRepresentable & CaseIterable & SendableMetatype>(
        _ key: String, _ place: any WritableKeyPath<Settings, Choice> & Sendable, _ summary: String
    ) -> Setting where Choice.RawValue == String {
        Setting(
            key: key, flag: nil, rule: .choice(Choice.allCases.map(\.rawValue)), summary: summary,
            read: { .text($0[keyPath: place].rawValue) },
            write: { settings, value in
                if case .text(let text) = value, let choice = Choice(rawValue: text) {
                    settings[keyPath: place] = choice
                }
            })
    }

    static func addresses(
        _ key: String, _ place: any WritableKeyPath<Settings, [ListenAddress]> & Sendable,
        flag: String, _ summary: String
    ) -> Setting {
        Setting(
            key: key, flag: flag, rule: .addresses, summary: summary,
            read: { .list($0[keyPath: place].map { "\($0)" }) },
            write: { settings, value in
                if case .list(let texts) = value {
                    settings[keyPath: place] = texts.compactMap { try? ListenAddress($0) }
                }
            })
    }

    static func windows(
        _ key: String, _ place: any WritableKeyPath<Settings, [WindowException]> & Sendable,
        _ summary: String
    ) -> Setting {
        Setting(
            key: key, flag: nil, rule: .windows, summary: summary,
            read: { .list($0[keyPath: place].map(\.description)) },
            write: { settings, value in
                if case .list(let texts) = value {
                    settings[keyPath: place] = texts.compactMap { WindowException($0) }
                }
            })
    }
}
