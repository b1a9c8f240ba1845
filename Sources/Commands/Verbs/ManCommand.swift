/// `purser man`.
enum ManCommand {
    static let verb = Verb(
        "man", summary: "print the manual page purser(1) in mdoc",
        examples: [
            Example("purser man | man -l -", "read the manual page"),
            Example("purser man > /usr/local/share/man/man1/purser.1", "install the manual page"),
        ],
        needs: .nothing, run: run)

    static func run(_ invocation: Invocation) async throws {
        let page = ManualPage(table: invocation.table).source
        try invocation.print(TextReport(key: "page", content: page))
    }
}
