import Testing

@testable import Commands

@Suite struct CommandTableTests {
    static let table = CommandTable.standard
    static let shown = CommandTable.standard.shown

    @Test func `the table is consistent`() {
        for verb in Self.table.verbs {
            let name = verb.command
            #expect(!verb.path.isEmpty && verb.path.count <= 2, "\(name)")
            #expect(
                Self.table.verbs.filter { $0.path == verb.path }.count == 1,
                "\(name) is there twice")
            if verb.path.count == 2 {
                #expect(Self.table.group(at: [verb.path[0]]) != nil, "\(name) has no group")
            }
            #expect(Self.table.verb(at: [verb.path[0]]) == nil || verb.path.count == 1)
            let optional = verb.arguments.firstIndex(where: \.isOptional) ?? verb.arguments.count
            #expect(verb.arguments[optional...].allSatisfy { $0.isOptional }, "\(name)")
            #expect(verb.arguments.dropLast().allSatisfy { !$0.isRepeated }, "\(name)")
            #expect(Set(verb.arguments.map(\.name)).count == verb.arguments.count, "\(name)")
            let flags = (verb.options + GlobalOptions.all).map(\.name)
            #expect(Set(flags).count == flags.count, "\(name) hides a global flag")
        }
        for group in Self.table.groups {
            #expect(!Self.table.verbs(in: group).isEmpty, "\(group.name) is empty")
        }
    }

    @Test func `every verb, argument and flag says what it is, lower case and without full stop`() {
        let summaries =
            Self.shown.map(\.summary) + Self.table.groups.map(\.summary)
            + Self.shown.flatMap { $0.arguments.map(\.help) + $0.options.map(\.help) }
            + GlobalOptions.all.map(\.help) + Self.shown.flatMap { $0.examples.map(\.comment) }
        for text in summaries {
            #expect(!text.isEmpty && !text.hasSuffix(".") && text.count <= 150, "\(text)")
            let first = text.prefix { !$0.isWhitespace }
            let isName = first.dropFirst().contains { $0.isUppercase } || first.hasPrefix("Apple")
            #expect(text.first?.isUppercase == false || isName, "\(text)")
        }
        for verb in Self.shown {
            #expect(!verb.examples.isEmpty, "\(verb.command) has no example")
            #expect(verb.summary.count <= 78, "\(verb.command)")
        }
    }

    @Test func `every example parses`() throws {
        for example in Self.shown.flatMap(\.examples) where example.command.hasPrefix("purser ") {
            let command = example.command.prefix { !"|>".contains($0) }
            let words = try ShellWords(String(command), variables: [:]).words
            let line = ArgumentParser(table: Self.table).parse(Array(words.dropFirst()))
            #expect(line.fault == nil, "\(example.command)")
        }
    }

    @Test func `help names every part of every verb within its width`() async {
        for verb in Self.shown {
            let help = await purser(["help"] + verb.path)
            #expect(help.status == 0 && help.errors == "")
            for part in verb.arguments.map(\.name) + verb.options.map(\.spelling)
                + verb.statuses.map({ "\($0.status.code)" })
            {
                #expect(help.text.contains("  \(part)"), "\(verb.command): \(part)")
            }
            #expect(help.text.contains("Usage:\n  \(verb.command)"))
            let examples = verb.examples.map { "  \($0.command)" }
            for line in help.text.split(separator: "\n") where !examples.contains(String(line)) {
                #expect(line.count <= 80, "\(line)")
            }
            #expect(await purser(verb.path + ["--help"]).text == help.text)
        }
        let all = await purser("help").text
        for word in Self.table.words(after: []) { #expect(all.contains("\n  \(word.name)")) }
        for option in GlobalOptions.all { #expect(all.contains(option.spelling)) }
        #expect(!all.contains("__complete"))
    }

    @Test func `help for a script is one JSON object`() async {
        for path in [[], ["certificate"], ["certificate", "request"]] {
            let help = await purser(["help"] + path + ["--json"])
            #expect(help.text.hasPrefix("{\"arguments\":["))
            #expect(help.text.split(separator: "\n").count == 1)
        }
    }

    @Test func `a hidden verb runs but is not shown`() {
        #expect(Self.table.verb(at: ["__complete"])?.isHidden == true)
        #expect(!Self.shown.contains { $0.path == ["__complete"] })
        #expect(!ManualPage(table: Self.table).source.contains("__complete"))
    }
}

/// The same with the words as an array.
func purser(_ arguments: [String]) async -> Captured {
    let output = CapturingSink()
    let errors = CapturingSink()
    let context = capturingContext(arguments, output: output, errors: errors)
    let status = await run(in: context)
    return Captured(status: status, output: output.bytes, errors: errors.text)
}
