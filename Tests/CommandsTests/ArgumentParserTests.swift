import Clocks
import Testing

@testable import Commands

@Suite struct ArgumentParserTests {
    /// A table of its own, so that the rules are tested and not the program's verbs.
    static let place = Argument("PLACE", "where")
    static let file = Argument(
        "FILE", "what", kind: .file, isOptional: true, acceptsStandardInput: true)
    static let color = Option(
        "color", "NAME", "which", kind: .values(["red", "green"]))
    static let tag = Option("tag", "TEXT", "what it is", isRepeated: true)
    static let out = Option("out", "FILE", "where to", kind: .file)
    static let number = Option("number", "N", "how many")
    static let fast = Option(flag: "fast", "hurry")
    static let passwordFile = Option("password-file", "FILE", "the password", kind: .file)
    static let paint = Verb(
        "wall", "paint", summary: "paint", arguments: [place, file],
        options: [color, tag, out, number, fast, passwordFile], needs: .nothing, run: { _ in })
    static let rest = Argument("WORD", "all that is left", isOptional: true, isRepeated: true)
    static let echo = Verb(
        "echo", summary: "say", arguments: [rest], needs: .nothing, run: { _ in })
    static let table = CommandTable(
        groups: [VerbGroup(name: "wall", summary: "walls")], verbs: [paint, echo])

    func parse(_ words: String...) -> ParsedCommandLine {
        ArgumentParser(table: Self.table).parse(words)
    }

    func invocation(_ words: String...) throws -> Invocation {
        let line = ArgumentParser(table: Self.table).parse(words)
        #expect(line.fault == nil)
        let context = capturingContext([], output: CapturingSink(), errors: CapturingSink())
        return Invocation(
            verb: try #require(line.verb), values: line.values,
            context: context, table: Self.table)
    }

    // MARK: Forms

    @Test func `global flags stand before, between and after a command's words`() throws {
        for words in [
            ["--home", "/a", "--json", "wall", "paint", "x"],
            ["wall", "--home=/a", "paint", "--json", "x"],
            ["wall", "paint", "x", "--json", "--home", "/a"],
        ] {
            let line = ArgumentParser(table: Self.table).parse(words)
            #expect(line.fault == nil)
            #expect(line.verb?.path == ["wall", "paint"])
            let global = GlobalOptions(line.values)
            #expect(global.home == "/a" && global.json)
        }
    }

    @Test func `a value follows its flag or an equals sign`() throws {
        #expect(try invocation("wall", "paint", "x", "--color", "red")[Self.color] == "red")
        #expect(try invocation("wall", "paint", "x", "--color=red")[Self.color] == "red")
        let equals = try invocation("wall", "paint", "x", "--tag", "a=b", "--tag=c=d")
        #expect(equals.all(Self.tag) == ["a=b", "c=d"])
        #expect(try invocation("wall", "paint", "x", "--tag=--fast")[Self.tag] == "--fast")
        #expect(try !invocation("wall", "paint", "x", "--tag=--fast").isSet(Self.fast))
    }

    @Test func `two hyphens end the flags`() throws {
        let said = try invocation("echo", "--", "--json", "-h", "--")
        #expect(said.all(Self.rest) == ["--json", "-h", "--"])
        #expect(!said.global.json)
        #expect(parse("--", "wall", "paint", "x").verb?.path == ["wall", "paint"])
    }

    @Test func `a hyphen alone is standard input where that is documented, else refused for files`()
        throws
    {
        #expect(try invocation("wall", "paint", "x", "-").optional(Self.file) == "-")
        #expect(
            parse("wall", "paint", "x", "--out", "-").fault == .noStandardInput("--out"))
        #expect(try invocation("wall", "paint", "-")[Self.place] == "-")
    }

    @Test func `optional and repeated arguments may be left out`() throws {
        #expect(try invocation("wall", "paint", "x").optional(Self.file) == nil)
        #expect(try invocation("echo").all(Self.rest) == [])
        #expect(try invocation("echo", "a", "b", "a").all(Self.rest) == ["a", "b", "a"])
    }

    // MARK: Repetition

    @Test func `the same flag twice is accepted with the same value only`() throws {
        #expect(try invocation("wall", "paint", "x", "--out", "f", "--out=f")[Self.out] == "f")
        #expect(
            parse("--home", "a", "wall", "paint", "x", "--home", "b").fault
                == .conflictingValues("--home"))
        #expect(try invocation("--json", "wall", "paint", "x", "--json").global.json)
    }

    @Test func `a repeatable flag keeps its values in order and each once`() throws {
        let tags = try invocation(
            "wall", "paint", "x", "--tag", "b", "--tag", "a", "--tag", "b")
        #expect(tags.all(Self.tag) == ["b", "a"])
    }

    // MARK: Faults

    @Test func `every slip has its own fault`() {
        #expect(
            parse("wall", "paint").fault
                == .missingArguments(
                    ["PLACE"], usage: "purser wall paint PLACE"))
        #expect(
            parse("wall", "paint", "x", "f", "y").fault
                == .extraArgument(
                    "y", usage: "purser wall paint PLACE"))
        #expect(parse("wall", "paint", "x", "--out").fault == .missingValue("--out", value: "FILE"))
        #expect(
            parse("wall", "paint", "x", "--out", "--fast").fault
                == .flagAsValue("--out", value: "--fast"))
        #expect(parse("wall", "paint", "x", "--fast=yes").fault == .valueNotTaken("--fast"))
        #expect(parse("wall", "paint", "x", "--out=").fault == .emptyValue("--out"))
        #expect(parse("wall", "paint", "").fault == .emptyValue("PLACE"))
        #expect(
            parse("wall", "paint", "x", "--color", "blue").fault
                == .notOneOf("--color", text: "blue", allowed: "red, green"))
        #expect(parse("wall", "paint", "a\u{FFFD}").fault == .notUTF8(position: 3))
        #expect(parse("wall", "paint", "x", "--out", "\u{FFFD}").fault == .notUTF8(position: 5))
        #expect(
            parse("wall", "pant", "x").fault
                == .unknownCommand("wall pant", didYouMean: "purser wall paint"))
        #expect(
            parse("paint").fault
                == .unknownCommand("paint", didYouMean: "purser wall paint"))
        #expect(parse("ceho").fault == .unknownCommand("ceho", didYouMean: "purser echo"))
        #expect(parse("").fault == .unknownCommand("", didYouMean: nil))
    }

    @Test func `an unknown flag is compared with the known ones`() {
        func use(_ flag: String) -> CommandLineError? { parse("wall", "paint", "x", flag).fault }
        let command = "purser wall paint"
        #expect(use("--colour") == .unknownFlag("--colour", command: command, use: "--color"))
        #expect(use("--FAST") == .unknownFlag("--FAST", command: command, use: "--fast"))
        #expect(use("-fast") == .unknownFlag("-fast", command: command, use: "--fast"))
        #expect(use("-v") == .unknownFlag("-v", command: command, use: nil))
        #expect(use("--zebra") == .unknownFlag("--zebra", command: command, use: nil))
        // Not abbreviated: a new flag must not change what an old script means.
        #expect(use("--fas") == .unknownFlag("--fas", command: command, use: "--fast"))
    }

    @Test func `a verb's flag before the verb is told its place, and its value is no command`() {
        let line = parse("--out", "f", "wall", "paint", "x")
        #expect(line.verb?.path == ["wall", "paint"])
        #expect(line.fault == .misplacedFlag("--out", use: "purser wall paint ... --out FILE"))
    }

    @Test(arguments: ["--password", "--password=hunter2", "--passphrase", "--pass", "--secret"])
    func `a secret on the command line is refused without repeating it`(flag: String) throws {
        let fault = try #require(parse("wall", "paint", "x", flag).fault)
        guard case .secretOnCommandLine(_, let use) = fault else {
            Issue.record("\(fault)")
            return
        }
        let stem = flag == "--passphrase" ? "passphrase" : "password"
        #expect(use == "name it with --\(stem)-file FILE")
        #expect(!fault.summary.contains("hunter2") && !fault.remedy.contains("hunter2"))
        let elsewhere = try #require(parse("echo", flag).fault)
        #expect(elsewhere.remedy.contains("--passphrase-file FILE"))
    }

    @Test func `a pasted key is not repeated in the message`() throws {
        let pasted = "-----BEGIN PRIVATE KEY-----\nMIIE"
        let asFlag = try #require(parse("echo", pasted).fault)
        #expect(!asFlag.summary.contains("BEGIN") && !asFlag.remedy.contains("BEGIN"))
        let asValue = try #require(parse("wall", "paint", "x", "--out", pasted).fault)
        #expect(!asValue.summary.contains("BEGIN") && !asValue.remedy.contains("BEGIN"))
    }

    @Test func `parsing goes on after a fault, for --json, --help and the verb`() {
        let line = parse("--bogus", "wall", "paint", "--out", "--json", "-h")
        #expect(line.verb?.path == ["wall", "paint"])
        #expect(line.wantsJSON && line.wantsHelp)
        #expect(line.fault == .unknownFlag("--bogus", command: "purser wall paint", use: nil))
        #expect(parse("bogus", "echo").verb == nil)
    }

    @Test func `a line that stops early is incomplete and nothing else`() {
        #expect(parse().isIncomplete && parse("wall").isIncomplete)
        #expect(parse("wall").path == ["wall"])
        #expect(!parse("wall", "--bogus").isIncomplete)
    }

    // MARK: Getters

    @Test func `numbers and times are checked when they are asked for`() throws {
        func number(_ text: String) throws -> Int? {
            try invocation("wall", "paint", "x", "--number=\(text)")
                .integer(Self.number, in: 1...100)
        }
        #expect(try number("7") == 7)
        #expect(try invocation("wall", "paint", "x").integer(Self.number, in: 1...9) == nil)
        for text in ["0", "101", "+7", "7.0", "seven", " 7", "99999999999999999999"] {
            #expect(throws: CommandLineError.self) { try number(text) }
        }
        func time(_ text: String) throws -> String? {
            try invocation("wall", "paint", "x", "--number=\(text)").time(Self.number)?.description
        }
        #expect(try time("2026-03-01T08:00:00Z") == "2026-03-01T08:00:00Z")
        #expect(try time("2026-03-01T08:00:00+02:00") == "2026-03-01T06:00:00Z")
        #expect(try time("2026-03-01") == "2026-03-01T00:00:00Z")
        for text in ["yesterday", "2026-13-01", "2026-3-1", "1700000000"] {
            #expect(throws: CommandLineError.self) { try time(text) }
        }
    }

    @Test func `relative paths start at the context's folder`() throws {
        var context = capturingContext([], output: CapturingSink(), errors: CapturingSink())
        context.workingDirectory = "/work"
        #expect(context.absolute("a/b") == "/work/a/b")
        #expect(context.absolute("/a") == "/a")
    }

    @Test func `distances count slips`() {
        #expect(NearestName.distance(from: "", to: "abc") == 3)
        #expect(NearestName.distance(from: "abc", to: "abc") == 0)
        #expect(NearestName.distance(from: "acb", to: "abc") == 1)
        #expect(NearestName.distance(from: "kitten", to: "sitting") == 3)
        #expect(NearestName.nearest(to: "x", in: []) == nil)
    }
}
