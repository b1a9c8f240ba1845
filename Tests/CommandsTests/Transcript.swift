import Testing

/// A transcript: what is typed, and what must come back.
///
/// ```
/// # A comment. Blank lines before one, and before the next command, do not count.
/// $ purser merchant add merchant.com.example.shop
/// added [..]
/// $ purser certificate request merchant.com.example.shop merchant-identity > shop.csr
/// 2> purser: hint: upload it as [id=..]
/// $ openssl req -verify -noout -in shop.csr 2>&1
/// ...
/// @ +31d
/// $ purser fly
/// ! 64
/// 2> purser: error: there is no command "fly"
/// ...
/// -- notes.txt --
/// A file to be there from the start, until the next such line.
/// ```
///
/// Lines after a command are its standard output, all of it; `2> ` stands before those of standard
/// error, and `! STATUS`, right after the command, is the exit status if it is not 0. `[..]` is any
/// text within a line, `[NAME=..]` the same and kept as `$NAME` for later lines, `...` alone any
/// number of lines; `2> ...` the same for standard error.
///
/// `purser` runs in this process and takes `< FILE` and `> FILE` at the end of its line; all other
/// commands run in `sh`. Both run in a new folder, `$WORK`, with `PURSER_HOME` and
/// `PURSER_MASTER_KEY_FILE` naming things in it that do not exist yet. `@ TIME`, `@ +29d` and
/// `@ +10s` move the clock of purser.
struct Transcript: Sendable {
    let steps: [Step]
    let files: [(name: String, content: String)]

    enum Step: Sendable {
        case run(Command)
        case moveClock(String)
    }

    struct Command: Sendable {
        /// Where it stands, for messages.
        let line: Int
        let text: String
        var status: Int32 = 0
        var output: [String] = []
        var errors: [String] = []
    }

    struct Malformed: Error {
        let line: Int
        let why: String
    }

    init(parsing text: String) throws {
        var steps: [Step] = []
        var files: [(name: String, content: String)] = []
        var command: Command?
        func close() {
            guard var finished = command else { return }
            while finished.output.last == "" { finished.output.removeLast() }
            steps.append(.run(finished))
            command = nil
        }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let number = index + 1
            if line.hasPrefix("-- "), line.hasSuffix(" --") {
                close()
                files.append((String(line.dropFirst(3).dropLast(3)), ""))
            } else if let last = files.indices.last {
                files[last].content += index == lines.count - 1 ? line : line + "\n"
            } else if line.hasPrefix("#") {
                close()
            } else if line.hasPrefix("$ ") {
                close()
                command = Command(line: number, text: String(line.dropFirst(2)))
            } else if line.hasPrefix("@ ") {
                close()
                steps.append(.moveClock(String(line.dropFirst(2))))
            } else if command == nil {
                guard line.isEmpty else {
                    throw Malformed(line: number, why: "output without a command")
                }
            } else if line.hasPrefix("! ") {
                guard let status = Int32(line.dropFirst(2)), command?.output == [] else {
                    throw Malformed(line: number, why: "not a status right after a command")
                }
                command?.status = status
            } else if line.hasPrefix("2> ") {
                command?.errors.append(String(line.dropFirst(3)))
            } else {
                command?.output.append(String(line))
            }
        }
        close()
        self.steps = steps
        self.files = files
    }
}

// MARK: - Matching

/// Expected lines as one pattern over a whole output.
struct ExpectedText {
    let lines: [String]

    /// Whether `actual` is as expected; what was kept goes into `variables`.
    func matches(_ actual: String, variables: inout [String: String]) throws -> Bool {
        var names: [String] = []
        let known = variables
        let pattern = try lines.map { line in
            line == "..." ? "(?:[^\\n]*\\n)*?" : try Self.pattern(line, known, &names) + "\\n"
        }.joined()
        // A last line without a line end reads like one with it.
        let whole = actual.isEmpty || actual.hasSuffix("\n") ? actual : actual + "\n"
        let regex = try Regex(pattern).matchingSemantics(.unicodeScalar)
        guard let match = try regex.wholeMatch(in: whole) else { return false }
        for (index, name) in names.enumerated() {
            variables[name] = match.output[index + 1].substring.map(String.init)
        }
        return true
    }

    private static func pattern(
        _ line: String, _ variables: [String: String], _ names: inout [String]
    ) throws -> String {
        var pattern = ""
        var rest = Substring(line)
        while let first = rest.first {
            if let match = try #/\[(?:([a-zA-Z]+)=)?\.\.\]/#.prefixMatch(in: rest) {
                if let name = match.output.1 { names.append(String(name)) }
                pattern += match.output.1 == nil ? "[^\\n]*?" : "([^\\n]*?)"
                rest = rest[match.range.upperBound...]
            } else if let match = try #/\$([a-zA-Z]+)/#.prefixMatch(in: rest),
                let value = variables[String(match.output.1)]
            {
                pattern += value.map(literal).joined()
                rest = rest[match.range.upperBound...]
            } else {
                pattern += literal(first)
                rest.removeFirst()
            }
        }
        return pattern
    }

    private static func literal(_ character: Character) -> String {
        "\\.[]{}()*+?^$|/#".contains(character) ? "\\\(character)" : String(character)
    }
}
