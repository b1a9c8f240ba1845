extension Settings {
    /// A `purser.json5` that says everything: each setting with its default, commented.
    ///
    /// It can be used as it stands: settings without a default are commented out.
    package static let documentation: String = {
        var lines = [
            "// Purser's settings. All are optional; these are the defaults.",
            "// A flag beats the environment, the environment beats this file.", "{",
        ]
        var sections: ArraySlice<Substring> = []
        func enter(_ next: ArraySlice<Substring>) {
            while !next.starts(with: sections) {
                lines.append(String(repeating: "  ", count: sections.count) + "},")
                sections.removeLast()
            }
            for name in next.dropFirst(sections.count) {
                sections.append(name)
                lines.append(String(repeating: "  ", count: sections.count) + "\(name): {")
            }
        }
        for setting in SettingsTable.all {
            let parts = setting.key.split(separator: ".")
            enter(parts.dropLast())
            let indent = String(repeating: "  ", count: parts.count)
            let name = parts.last ?? ""
            lines.append("\(indent)// \(setting.summary)")
            lines.append("\(indent)// \(setting.hint)")
            lines.append(indent + setting.assignment(to: String(name)))
        }
        enter([])
        return (lines + ["}", ""]).joined(separator: "\n")
    }()
}

extension Settings {
    /// The variables of the environment that settings come from, each with one line of what it is.
    package static let variables: [(name: String, summary: String)] = SettingsTable.all.map {
        ($0.variable, $0.summary)
    }
}

extension Setting {
    /// The other names and the bounds, for a comment.
    fileprivate var hint: String {
        var parts: [String] = []
        switch rule {
        case .integer(let bounds): parts.append("\(bounds.lowerBound) to \(bounds.upperBound)")
        case .choice(let choices): parts.append(choices.joined(separator: ", "))
        case .text, .texts, .addresses, .windows, .path, .pathOrCredential: break
        }
        parts.append(variable)
        if let flag { parts.append("--\(flag)") }
        return parts.joined(separator: "; ")
    }

    fileprivate func assignment(to name: String) -> String {
        switch read(Settings()) {
        case .integer(let number): "\(name): \(number),"
        case .text(let text): "\(name): \"\(text)\","
        case .list(let texts):
            "\(name): [\(texts.map { "\"\($0)\"" }.joined(separator: ", "))],"
        case .none:
            if case .text(let form) = rule {
                "// \(name): \"\(form.example)\","
            } else {
                "// \(name): \"/path/to/file\","
            }
        }
    }
}
