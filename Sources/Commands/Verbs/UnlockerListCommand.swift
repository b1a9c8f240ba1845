import Files
import Vault

/// `purser unlocker list`.
enum UnlockerListCommand {
    static let verb = Verb(
        "unlocker", "list", summary: "list the secrets that open the home, without them",
        discussion: [
            "It needs no key, and so it cannot tell whether somebody has changed master.json. Every "
                + "command with a key checks that."
        ],
        examples: [Example("purser unlocker list --json", "list the unlockers for a script")],
        needs: .home, run: run)

    static func run(_ invocation: Invocation) async throws {
        try invocation.enterHome()
        try HomeGuard.check(invocation.layout)
        let unlockers = try invocation.layout.unlockers()
        try invocation.print(ListReport(unlockers.map(UnlockerReport.init)))
    }
}
