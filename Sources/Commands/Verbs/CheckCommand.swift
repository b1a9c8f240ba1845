/// `purser check`.
enum CheckCommand {
    static let verb = Verb(
        "check", summary: "say what expires soon, with the statuses of a monitoring plug-in",
        discussion: [
            "It reads the database only: no network, no key; it writes and sends nothing. A certificate "
                + "with less than 30 days left is a warning, with less than 7 days critical."
        ],
        examples: [
            Example(
                "purser check || mail -s 'Apple Pay' shop@example.com",
                "mail when something expires soon")
        ],
        statuses: [
            NamedStatus(0, "ok"), NamedStatus(1, "warning"), NamedStatus(2, "critical"),
            NamedStatus(
                3, "unknown, or a failure of the check itself, a wrong command line included"),
        ],
        needs: .home, failureStatus: CommandStatus(3), run: run)

    static func run(_ invocation: Invocation) async throws {
        // BODY: not written yet.
    }
}
