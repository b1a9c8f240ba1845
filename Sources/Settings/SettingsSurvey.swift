/// The settings as far as they can be read, and what is wrong with the rest: for `config show`.
///
/// Whoever has broken a setting needs to see the others, so nothing is thrown here; what works with
/// settings uses ``Settings/load(contents:filePath:environment:flags:)``, which refuses them all.
package struct SettingsSurvey: Sendable {
    /// One setting, or one key that is none.
    package struct Line: Sendable, Equatable {
        /// Such as `serve.drainSeconds`; as it was written where there is no such setting.
        package let key: String
        /// `.none` where what counts cannot be read, too.
        package let value: SettingValue
        package let source: SettingSource
        /// What is wrong with it.
        package let faults: [SettingFault]
    }

    /// Every setting in the order of the documentation, then the keys that mean nothing.
    package let lines: [Line]
    /// What ``Settings/load(contents:filePath:environment:flags:)`` throws for it; nil when all is well.
    package let error: SettingsError?
    /// Whether nothing of the file could be read, so that no line tells of it.
    package var isFileMalformed: Bool {
        if case .malformed = error { true } else { false }
    }

    let resolved: ResolvedSettings

    /// Looks at all places; the parameters are those of
    /// ``Settings/load(contents:filePath:environment:flags:)``.
    package init(
        contents: [UInt8]?, filePath: String, environment: [String: String],
        flags: [String: [String]]
    ) {
        var faults: [SettingFault] = []
        let file: SettingsFile
        var malformed: SettingsError?
        do throws(SettingsError) {
            file = try SettingsFile(contents: contents, path: filePath, faults: &faults)
        } catch {
            malformed = error
            file = SettingsFile(emptyAt: filePath)
        }
        let decided = Settings.decide(file, environment: environment, flags: flags, &faults)
        resolved = decided
        error = malformed ?? (faults.isEmpty ? nil : .faults(faults))
        lines =
            decided.entries.map { entry in Self.line(entry, faults) }
            + faults.compactMap { fault in Self.line(fault, filePath, among: decided.entries) }
    }

    private static func line(
        _ entry: ResolvedSettings.Entry, _ faults: [SettingFault]
    ) -> Line {
        let itsFaults = faults.filter { $0.concerns(entry.key) }
        // A stronger place has a value that cannot be read: then the weaker one is not in force.
        let broken = itsFaults.compactMap(\.source).min { $0.rank < $1.rank }
        if let broken, broken.rank < entry.source.rank {
            return Line(key: entry.key, value: .none, source: broken, faults: itsFaults)
        }
        return Line(
            key: entry.key, value: shown(entry), source: entry.source, faults: itsFaults)
    }

    /// Addresses that let whoever knows them post there, as those of Slack's sort do.
    private static let secretAddresses: Set = ["alerts.webhook.url", "alerts.heartbeat.url"]

    /// The value, but of an address that is a secret only the scheme and the host.
    private static func shown(_ entry: ResolvedSettings.Entry) -> SettingValue {
        guard secretAddresses.contains(entry.key), case .text(let url) = entry.value,
            let colon = url.firstRange(of: "://")
        else { return entry.value }
        let host = url[colon.upperBound...].prefix { !"/?#".contains($0) }
        let rest = url[host.endIndex...]
        return rest.isEmpty || rest == "/"
            ? entry.value : .text("\(url[..<host.endIndex])/…")
    }

    /// A line of its own for a fault that concerns no setting, such as a key that means nothing.
    private static func line(
        _ fault: SettingFault, _ filePath: String, among entries: [ResolvedSettings.Entry]
    ) -> Line? {
        switch fault {
        case .unknownKey(let key, _):
            return Line(
                key: SettingFault.shown(key), value: .none, source: .file(filePath),
                faults: [fault])
        case .wrongValue(let key, _, let source):
            if entries.contains(where: { fault.concerns($0.key) }) { return nil }
            return Line(key: key, value: .none, source: source, faults: [fault])
        case .severalUnlockers, .contradiction: return nil
        }
    }
}

extension SettingFault {
    /// Whether it is about the setting of this key; a contradiction names those that it is about.
    func concerns(_ key: String) -> Bool {
        switch self {
        case .unknownKey: false
        case .wrongValue(let wrong, _, _): wrong == key
        case .severalUnlockers(let keys, _): keys.contains(key)
        case .contradiction(let what):
            what.split { $0 == " " || $0 == "," }.contains { $0 == key }
        }
    }

    /// Where the value was given that breaks its rule.
    var source: SettingSource? {
        if case .wrongValue(_, _, let source) = self { source } else { nil }
    }
}
