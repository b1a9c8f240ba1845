import Issuance
import Vault

/// `purser unlocker remove`.
enum UnlockerRemoveCommand {
    static let unlocker = Argument(
        "ID", "the unlocker's id, from unlocker list", kind: .unlocker)

    static let verb = Verb(
        "unlocker", "remove", summary: "let a secret open the home no longer",
        discussion: [
            "The one that this command opens the home with cannot be removed: open it with another "
                + "one. So one always remains, and it is one that somebody has.",
            "A service that was started with it keeps serving what it knows, and is not ready: start it "
                + "with another one first.",
            "Who knows the secret and has an old copy of master.json still knows the vault key: run "
                + "purser master-key rotate afterwards. Copies of the home from before then stay open "
                + "to it for ever.",
        ],
        arguments: [unlocker],
        examples: [
            Example("purser unlocker remove 5f0c9a3be2d14788", "shut out whoever has that secret")
        ],
        needs: .key, isAct: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        let unlocked = try await invocation.unlockHome()
        let removed = try await unlocked.home.removeUnlocker(
            invocation[unlocker], vault: unlocked.vault)
        try invocation.print(
            UnlockerChangeReport(
                unlocker: UnlockerReport(removed), done: .removed,
                next: [
                    "whoever has it may have an old copy of master.json, so make a new vault key: "
                        + "purser master-key rotate"
                ]))
    }
}
