/// `purser help`.
enum HelpCommand {
    static let words = Argument(
        "VERB", "the command's words; none for the list of commands", kind: .command,
        isOptional: true, isRepeated: true)

    static let verb = Verb(
        "help", summary: "show the help of the program, of a group, or of one command",
        discussion: [
            "The same as the flag --help behind the command. With --json, the command's arguments "
                + "and flags are printed for a script."
        ],
        arguments: [words],
        examples: [
            Example("purser help", "list the commands"),
            Example("purser help certificate request", "show one command"),
        ],
        needs: .nothing, run: run)

    static func run(_ invocation: Invocation) async throws {
        let path = invocation.all(words)
        let table = invocation.table
        for count in 0..<path.count {
            let part = Array(path[...count])
            guard table.verb(at: part) == nil, table.group(at: part) == nil else { continue }
            throw CommandLineError.unknownCommand(
                part.joined(separator: " "),
                didYouMean: NearestName.command(to: part, in: table))
        }
        try invocation.print(HelpReport(table: table, path: path))
    }
}
