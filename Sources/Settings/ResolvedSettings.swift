internal import Merchants

/// The settings that are in force, each with the place that it came from.
package struct ResolvedSettings: Sendable, Equatable {
    package let settings: Settings
    /// Every setting in the order of the documentation, for `config show`.
    package let entries: [Entry]
    /// The file that unlocks the vault: of several sorts the one that was given in the strongest
    /// place, so that a flag beats another sort's variable.
    package let unlockFile: UnlockFile?

    /// Whether nobody has given the setting `key`, such as `listen`.
    package func isDefault(_ key: String) -> Bool {
        entries.contains { $0.key == key && $0.source == .standard }
    }

    /// One line of `config show`.
    package struct Entry: Sendable, Equatable {
        /// Such as `serve.drainSeconds`.
        package let key: String
        package let value: SettingValue
        package let source: SettingSource
    }

    /// What unlocks the vault, by the path of its file.
    package enum UnlockFile: Sendable, Equatable {
        case masterKey(String)
        case passphrase(String)
        case recoveryKey(String)
    }
}

extension Settings {
    /// Decides every setting: flag, else environment, else file, else default.
    ///
    /// A value is checked even when a stronger one makes it useless. Reads nothing and has no clock.
    ///
    /// - Parameters:
    ///   - contents: the bytes of `purser.json5`; nil when there is no such file.
    ///   - filePath: its path, for messages and sources.
    ///   - environment: the process's; an empty value counts as none.
    ///   - flags: by name without dashes, such as `listen`; those that are no settings are passed over.
    /// - Returns: the settings, each with its source.
    /// - Throws: ``SettingsError``, with all faults at once.
    package static func load(
        contents: [UInt8]?, filePath: String, environment: [String: String],
        flags: [String: [String]]
    ) throws(SettingsError) -> ResolvedSettings {
        let survey = SettingsSurvey(
            contents: contents, filePath: filePath, environment: environment, flags: flags)
        if let error = survey.error { throw error }
        return survey.resolved
    }

    /// Decides every setting as far as that goes; whatever is wrong lands in `faults`.
    static func decide(
        _ file: SettingsFile, environment: [String: String], flags: [String: [String]],
        _ faults: inout [SettingFault]
    ) -> ResolvedSettings {
        var settings = Settings()
        var entries: [ResolvedSettings.Entry] = []
        for setting in SettingsTable.all {
            let source = setting.decide(
                file: file, environment: environment, flags: flags, into: &settings, &faults)
            entries.append(
                .init(key: setting.key, value: setting.read(settings), source: source))
        }
        // A value that breaks its rule is told as that; that it is not there follows from it.
        let told = faults.compactMap { fault in
            if case .wrongValue(let key, _, _) = fault { key } else { nil }
        }
        faults += settings.contradictions.filter { fault in
            !told.contains { fault.concerns($0) }
        }
        let unlockFile = unlockFile(settings, entries, &faults)
        return ResolvedSettings(settings: settings, entries: entries, unlockFile: unlockFile)
    }

    private var contradictions: [SettingFault] {
        var found: [SettingFault] = []
        if check.criticalDays > check.warningDays {
            found.append(.contradiction("check.criticalDays is more than check.warningDays"))
        } else if check.warningDays > check.dueDays {
            found.append(.contradiction("check.warningDays is more than check.dueDays"))
        } else if !windows.isOrdered {
            found.append(
                .contradiction(
                    "check.windows makes critical more than warning, or warning than due")
            )
        }
        if session.connectTimeoutSeconds > session.totalTimeoutSeconds {
            found.append(
                .contradiction("session.connectTimeoutSeconds is more than the total time-out"))
        }
        if serve.requestTimeoutSeconds <= session.totalTimeoutSeconds {
            found.append(
                .contradiction(
                    "serve.requestTimeoutSeconds must be more than session.totalTimeoutSeconds"))
        }
        return found + alertContradictions
    }

    private static func unlockFile(
        _ settings: Settings, _ entries: [ResolvedSettings.Entry], _ faults: inout [SettingFault]
    ) -> ResolvedSettings.UnlockFile? {
        typealias Candidate = (key: String, rank: Int, file: ResolvedSettings.UnlockFile)
        func candidate(
            _ key: String, _ path: String?, _ file: (String) -> ResolvedSettings.UnlockFile
        ) -> Candidate? {
            path.map { (key, entries.first { $0.key == key }?.source.rank ?? 0, file($0)) }
        }
        let given = [
            candidate("masterKeyFile", settings.masterKeyFile) { .masterKey($0) },
            candidate("passphraseFile", settings.passphraseFile) { .passphrase($0) },
            candidate("recoveryKeyFile", settings.recoveryKeyFile) { .recoveryKey($0) },
        ].compactMap(\.self)
        let strongest = given.map(\.rank).min()
        let chosen = given.filter { $0.rank == strongest }
        if chosen.count > 1 {
            let sources = chosen.map { one in
                entries.first { $0.key == one.key }?.source ?? .standard
            }
            faults.append(.severalUnlockers(chosen.map(\.key), sources: sources))
        }
        return chosen.first?.file
    }
}
