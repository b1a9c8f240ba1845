package import Problems

/// Why there are no settings to work with.
package enum SettingsError: Explained, Equatable {
    /// The file is not JSON5, has a key twice, or its outermost value is no object.
    case malformed(path: String, line: Int, what: String)
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
        case .malformed(let path, let line, let what):
            "\(path) cannot be read, line \(line): \(what)"
        case .faults(let faults): faults.map(\.text).joined(separator: "; ")
        }
    }

    package var remedy: String {
        switch self {
        case .malformed:
            "correct that line; the format is JSON5, as in { serve: { drainSeconds: 15 } }"
        case .faults(let faults): Self.remedy(of: faults)
        }
    }

    private static func remedy(of faults: [SettingFault]) -> String {
        if faults.count == 1, case .severalUnlockers? = faults.first { return faults[0].remedy }
        return "correct what is named; README.md lists all settings with their bounds"
    }

    package var nature: Nature { .configuration }

    package static var examples: [SettingsError] {
        [
            .malformed(
                path: "/var/lib/purser/purser.json5", line: 3, what: "a comma or bracket is missing"
            ),
            .faults([.unknownKey("serve.drainSecond", nearest: "serve.drainSeconds")]),
            .faults([
                .wrongValue(
                    "log.level", expected: "debug, info or error",
                    source: .environment("PURSER_LOG_LEVEL")),
                .contradiction("check.criticalDays is more than check.warningDays"),
            ]),
            .faults([
                .severalUnlockers(
                    ["masterKeyFile", "passphraseFile"],
                    sources: [
                        .environment("PURSER_MASTER_KEY_FILE"),
                        .environment("PURSER_PASSPHRASE_FILE"),
                    ])
            ]),
        ]
    }
}
