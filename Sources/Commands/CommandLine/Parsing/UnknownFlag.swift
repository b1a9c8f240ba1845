/// Judges a flag that the table does not have: a slip, a misplaced flag, or a secret about to leak.
struct UnknownFlag {
    /// With its hyphens and without a value.
    let flag: String
    /// The verb of the line, once known.
    let verb: Verb?
    let table: CommandTable

    /// What to tell the user; the flag is repeated only if it is shaped like one.
    var error: CommandLineError {
        let command = verb?.command ?? Program.name
        guard isFlagShaped(flag) else {
            // A pasted key or certificate begins with hyphens too.
            return .unknownFlag("of this form", command: command, use: nil)
        }
        if let file = secretFileFlag {
            return .secretOnCommandLine(flag, use: "name it with \(file)")
        }
        if let option = (verb?.options ?? []).first(where: { "--\($0.name)" == flag }) {
            return .misplacedFlag(flag, use: "\(command) ... \(option.spelling)")
        }
        return .unknownFlag(flag, command: command, use: suggestion)
    }

    private var known: [Option] { (verb?.options ?? []) + GlobalOptions.all }

    /// The flag that reads such a secret from a file; nil for a flag that names no secret.
    private var secretFileFlag: String? {
        let name = flag.drop { $0 == "-" }
        let words = name.split(separator: "-")
        let secrets: Set<Substring> = [
            "password", "passwd", "passphrase", "pass", "passin", "passout", "secret", "pin",
            "token",
        ]
        let namesKey = name == "master-key" || name == "recovery-key"
        guard words.last != "file", words.contains(where: secrets.contains) || namesKey else {
            return nil
        }
        let files = known.filter { $0.name.hasSuffix("-file") }
        let fitting =
            files.first { $0.name == "\(name)-file" }
            ?? files.first { namesKey && $0.name.contains("key") }
            ?? files.first { $0.name == "password-file" }
            ?? files.first { $0.name == "passphrase-file" }
        return fitting?.spelling
    }

    private var suggestion: String? {
        // The right flag of a verb that is not named at all.
        if verb == nil {
            let owners = table.shown.filter { $0.options.contains { "--\($0.name)" == flag } }
            if owners.count == 1 { return "\(owners[0].command) ... \(flag)" }
        }
        let names = known.map { "--\($0.name)" }
        let doubled = flag.hasPrefix("--") ? flag : "-\(flag)"
        return NearestName.nearest(to: doubled, in: names)
    }
}

/// Whether a word can be a flag's name, so that it is safe to show: short, letters and hyphens.
func isFlagShaped(_ word: String) -> Bool {
    word.utf8.count <= 34
        && word.utf8.allSatisfy { byte in
            (byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z"))
                || (byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z"))
                || (byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"))
                || byte == UInt8(ascii: "-")
        }
}
