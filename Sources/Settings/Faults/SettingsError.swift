package import Problems

/// Why there are no settings to work with.
package enum SettingsError: Explained, Equatable {
    /// The file is not JSON5, or its outermost value is no object.
    case malformed(path: String, line: Int?)
    /// All that is wrong, in the order of the table.
    case faults([SettingFault])

    package var code: String {
        switch self {
        case .malformed: "settings.malformed"
        case .faults: "settings.invalid"
        }
    }

    package var summary: String {
        switch self {
        case .malformed(let path, let line?): "\(path) is not JSON5, see line \(line)"
        case .malformed(let path, nil): "\(path) is not JSON5 with an object outermost"
        case .faults(let faults): faults.map(\.text).joined(separator: "; ")
        }
    }

    package var remedy: String {
        switch self {
        case .malformed: "correct the file: { serve: { drainSeconds: 15 } } // with comments"
        case .faults: "correct what is named; see all settings with: purser config show"
        }
    }

    package var nature: Nature { .configuration }

    package static var examples: [SettingsError] {
        [
            .malformed(path: "/var/lib/purser/purser.json5", line: 3),
            .malformed(path: "/var/lib/purser/purser.json5", line: nil),
            .faults([.unknownKey("serve.drainSecond", nearest: "serve.drainSeconds")]),
            .faults([
                .wrongValue(
                    "log.level", expected: "debug, info or error",
                    source: .environment("PURSER_LOG_LEVEL")),
                .contradiction("two files unlock the vault"),
            ]),
        ]
    }
}
