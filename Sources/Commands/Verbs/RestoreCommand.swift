import Clocks
import Documents
import Files
import Issuance
import Ledger
import Vault

/// `purser restore`.
enum RestoreCommand {
    static let file = Argument(
        "FILE", "a file that purser backup has made", kind: .file, acceptsStandardInput: true)

    static let acceptDamaged = Option(
        flag: "accept-damaged",
        "take a backup of records that were damaged when it was made, as they are")

    static let verb = Verb(
        "restore", summary: "make a home from a backup",
        discussion: [
            "The home of --home must be absent or empty; settings that lie there already are kept. The "
                + "unlocker is one that the home had when the backup was made.",
            "Everything is verified before anything is put in place: each file against the backup's "
                + "list, the database, the ledger, each key and what the records say of it. Run again "
                + "after a crash, it goes on where it stopped.",
            "Do not use a restored home beside the one that it was copied from: each would record what "
                + "the other does not know.",
        ],
        arguments: [file], options: [acceptDamaged],
        examples: [
            Example(
                "purser --home /var/lib/purser restore purser.tar --master-key-file master.key",
                "make a home from a backup"),
            Example(
                "age -d purser.tar.age | purser --home /srv/purser restore -",
                "restore what was encrypted elsewhere"),
        ],
        needs: .nothing, isAct: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        let name = invocation[file]
        let actor = LedgerActor.current()
        // Opened, and the unlocker read, as the user who asks.
        let source =
            try name == "-"
            ? SequentialFile.standardInput() : SequentialFile(invocation.context.absolute(name))
        let named = try await invocation.namedUnlocker()
        let prepared = try await invocation.enterPreparedHome()
        let secret = if let named { named } else { try await invocation.otherUnlocker() }
        let restored = try await OpenHome.restore(
            source, to: invocation.layout, prepared: prepared, secret: secret,
            acceptingDamage: invocation.isSet(acceptDamaged), clock: invocation.context.clock,
            actor: actor)
        for path in restored.faulty {
            invocation.warn(
                "\(path): the backup has no sound copy of this key",
                hint: "take it from an earlier backup, or request a new certificate")
        }
        if let damage = restored.damage {
            invocation.warn("the records are damaged: \(damage)", hint: "see all: purser doctor")
        }
        if restored.keptSettings {
            invocation.warn(
                "the settings that were there are kept, not those of the backup",
                hint: "see what is in force: purser config show")
        }
        try invocation.print(
            RestoreReport(
                home: invocation.layout.path, owner: User.effective.name,
                createdAt: restored.createdAt.description, keys: restored.keys,
                faulty: restored.faulty, damage: restored.damage,
                keptSettings: restored.keptSettings))
    }
}

/// A home that was made from a backup.
private struct RestoreReport: Report {
    let home: String
    let owner: String
    /// When the backup was made.
    let createdAt: String
    let keys: Int
    let faulty: [String]
    @OrNull var damage: String?
    let keptSettings: Bool

    func text(width: Int) -> String {
        """
        made the home \(TerminalText.escaped(home)) as it was on \(createdAt): \
        \(keys) key\(keys == 1 ? "" : "s")
        it belongs to \(TerminalText.escaped(owner))
        next: see what has expired meanwhile: purser check
        next: what was recorded since then is not in it: keys requested later must be requested again
        next: API tokens revoked since then are valid again: purser api-token list

        """
    }
}
