internal import Merchants
internal import WebServer

extension Setting {
    /// Looks at all places, puts the strongest value into `settings` and says where it came from.
    func decide(
        file: SettingsFile, environment: [String: String], flags: [String: [String]],
        into settings: inout Settings, _ faults: inout [SettingFault]
    ) -> SettingSource {
        var decided = SettingSource.standard
        // From the weakest to the strongest, so that the last one stays.
        if let value = file.values[key] {
            let source = SettingSource.file(file.path)
            if take(read(json: value), from: source, into: &settings, &faults) { decided = source }
        }
        if let text = environment[variable], !text.isEmpty {
            let source = SettingSource.environment(variable)
            let texts = text.split(separator: ",", omittingEmptySubsequences: false).map(
                String.init)
            let value = read(texts: isList ? texts : [text])
            if take(value, from: source, into: &settings, &faults) { decided = source }
        }
        if let flag, let texts = flags[flag] {
            let source = SettingSource.flag("--\(flag)")
            if take(read(texts: texts), from: source, into: &settings, &faults) { decided = source }
        }
        return decided
    }

    /// What a value must be, for a message; `source` because a path's rule depends on it.
    private func expectation(in source: SettingSource) -> String {
        switch rule {
        case .integer(let bounds):
            "a whole number from \(bounds.lowerBound) to \(bounds.upperBound)"
        case .choice(let choices):
            choices.dropLast().joined(separator: ", ") + " or " + (choices.last ?? "")
        case .addresses:
            "a list of addresses such as 127.0.0.1:8765, [::1]:8765 or unix:/path"
        case .windows:
            "a list such as [\"payment-processing due=90\", \"merchant.com.example warning=45\"]"
        case .text(let form): form.expectation
        case .texts(let form): "a list, each \(form.expectation)"
        case .path:
            if case .file = source { "a path that begins with a slash" } else { "one path" }
        case .pathOrCredential: "a path that begins with a slash, or credential:NAME"
        }
    }

    private func take(
        _ value: SettingValue?, from source: SettingSource, into settings: inout Settings,
        _ faults: inout [SettingFault]
    ) -> Bool {
        guard let value else {
            faults.append(.wrongValue(key, expected: expectation(in: source), source: source))
            return false
        }
        write(&settings, value)
        return true
    }

    private var isList: Bool {
        switch rule {
        case .addresses, .windows, .texts: true
        case .integer, .choice, .text, .path, .pathOrCredential: false
        }
    }

    /// The value in the file, if it keeps the rule.
    private func read(json value: JSONValue) -> SettingValue? {
        switch (rule, value) {
        case (.integer(let bounds), .integer(let number)):
            return bounds.contains(number) ? .integer(number) : nil
        case (.choice, .text(let text)), (.text, .text(let text)): return read(texts: [text])
        case (.addresses, .array(let values)), (.windows, .array(let values)),
            (.texts, .array(let values)):
            let texts = values.compactMap { value in
                if case .text(let text) = value { text } else { nil }
            }
            return texts.count == values.count ? read(texts: texts) : nil
        // The service's working folder is nobody's choice, so a relative path would mean nothing.
        case (.path, .text(let text)): return text.hasPrefix("/") ? read(texts: [text]) : nil
        case (.pathOrCredential, .text(let text)):
            let isCredential = Settings.Alerts.credential(in: text) != nil
            return isCredential || text.hasPrefix("/") ? read(texts: [text]) : nil
        default: return nil
        }
    }

    /// A file's name, so that nothing outside systemd's folder can be meant (systemd.exec(5)).
    private static func isCredentialName(_ name: String) -> Bool {
        (1...255).contains(name.utf8.count) && name != "." && name != ".."
            && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }
    }

    /// The value in words, if it keeps the rule.
    private func read(texts: [String]) -> SettingValue? {
        if case .addresses = rule {
            let addresses = texts.compactMap { try? ListenAddress($0) }
            guard !addresses.isEmpty, addresses.count == texts.count,
                Set(addresses).count == addresses.count
            else { return nil }
            return .list(addresses.map { "\($0)" })
        }
        if case .windows = rule {
            let windows = texts.compactMap { WindowException($0) }
            guard windows.count == texts.count else { return nil }
            return .list(windows.map(\.description))
        }
        if case .texts(let form) = rule {
            guard texts.allSatisfy(form.accepts), Set(texts).count == texts.count else {
                return nil
            }
            return .list(texts)
        }
        guard texts.count == 1, let text = texts.first else { return nil }
        switch rule {
        case .integer(let bounds):
            guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text),
                bounds.contains(number)
            else { return nil }
            return .integer(number)
        case .choice(let choices): return choices.contains(text) ? .text(text) : nil
        case .path: return text.isEmpty || text.utf8.contains(0) ? nil : .text(text)
        case .pathOrCredential:
            if let name = Settings.Alerts.credential(in: text), !Self.isCredentialName(name) {
                return nil
            }
            return text.isEmpty || text.utf8.contains(0) ? nil : .text(text)
        case .text(let form): return form.accepts(text) ? .text(text) : nil
        case .addresses, .windows, .texts: return nil
        }
    }
}
