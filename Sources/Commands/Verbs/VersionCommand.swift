/// `purser version`.
enum VersionCommand {
    static let verb = Verb(
        "version", summary: "print the version",
        examples: [Example("purser version --json", "print the version for a script")],
        needs: .nothing, run: run)

    static func run(_ invocation: Invocation) async throws {
        try invocation.print(Version(version: Program.version))
    }
}

private struct Version: Report {
    let version: String

    func text(width: Int) -> String { "\(Program.name) \(version)\n" }
}
