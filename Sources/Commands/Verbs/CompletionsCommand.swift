/// `purser completions`.
enum CompletionsCommand {
    static let shell = Argument(
        "SHELL", "the shell", kind: .values(Shell.allCases.map(\.rawValue)))

    static let verb = Verb(
        "completions", summary: "print a script that completes commands, flags and names",
        discussion: [
            "Merchants, credentials and environments are completed from the home, without a key."
        ],
        arguments: [shell],
        examples: [
            Example("source <(purser completions bash)", "complete in this bash"),
            Example(
                "purser completions zsh > /usr/local/share/zsh/site-functions/_purser",
                "complete in every zsh of this machine"),
        ],
        needs: .nothing, run: run)

    static func run(_ invocation: Invocation) async throws {
        guard let shell = Shell(rawValue: invocation[shell]) else { return }
        let script = shell.completions(of: invocation.table)
        try invocation.print(TextReport(key: "script", content: script))
    }
}
