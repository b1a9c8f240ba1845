/// `purser serve`.
enum ServeCommand {
    static let listen = Option(
        "listen", "ADDRESS", "address and port, or unix:PATH (default: 127.0.0.1:8765)",
        isRepeated: true)

    static let verb = Verb(
        "serve", summary: "answer requests for merchant sessions over HTTP",
        discussion: [
            "It runs until SIGTERM or SIGINT, answers what has begun, and ends. Changes made by other "
                + "commands are in force within a second."
        ],
        options: [listen],
        examples: [
            Example("purser serve", "serve on 127.0.0.1:8765"),
            Example("purser serve --listen unix:/run/purser/http.sock", "serve on a Unix socket"),
        ],
        needs: .key, run: run)

    static func run(_ invocation: Invocation) async throws {
        // BODY: not written yet.
    }
}
