import Clocks
import Documents
import Files
import Issuance
import Ledger
import PKI
import Problems
import Vault

/// `purser backup`.
enum BackupCommand {
    static let file = Argument(
        "FILE", "the file to write; an existing one is refused", kind: .file)

    static let acceptDamaged = Option(
        flag: "accept-damaged", "copy records that are damaged, too, rather than refuse")

    static let verb = Verb(
        "backup", summary: "copy the home into one file, while it is in use",
        discussion: [
            "The file is a tar archive of master.json, the settings, the trust roots, the keys as they "
                + "lie in the home, and the database as it is at one moment; its last file lists "
                + "the others under a code of the vault's. Services and commands go on meanwhile; "
                + "a destruction or a rotation of the master key is waited for.",
            "The private keys in it are encrypted, the records are not. Whoever has the file and the "
                + "unlocker has every key: keep them apart. The unlocker is not in it.",
        ],
        arguments: [file], options: [acceptDamaged],
        examples: [
            Example(
                "purser backup /mnt/backups/purser-monday.tar",
                "make a backup on another disk"),
            Example("tar -tvf purser.tar", "see what is in one"),
        ],
        needs: .key, isAct: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        let path = invocation.context.absolute(invocation[file])
        _ = try OutputFile(path, outside: invocation.layout, inside: .backupInHome)
        let unlocked = try await invocation.unlockHome(wayBack: true)
        let file = try Privileges.asRoot { () throws(FileError) in try NewFile(path) }
        let made = try await unlocked.home.backUp(
            to: file, named: path, vault: unlocked.vault,
            acceptingDamage: invocation.isSet(acceptDamaged)
        ) {
            invocation.warn(
                ($0 as? any Explained)?.summary ?? "\($0)", hint: "its files are copied as they lie"
            )
        }
        try Privileges.asRoot { () throws(FileError) in try file.finish() }
        for name in made.faulty {
            invocation.warn(
                "\(name) is missing or does not open: there is no sound copy of this key",
                hint: "take it from an earlier backup, or request a new certificate")
        }
        for name in made.unrecorded {
            invocation.warn(
                "\(name) is in no record, and is copied as it lies", hint: "see why: purser doctor")
        }
        if let damage = made.damage {
            invocation.warn(
                "the records are damaged, and so are those of the backup: \(damage)",
                hint: "see all: purser doctor; keep the earlier backups")
        }
        try invocation.print(
            BackupReport(
                file: invocation[Self.file], createdAt: made.createdAt.description,
                bytes: file.size, keys: made.keys, entries: made.ledger.sequence,
                head: made.ledger.text, sha256: Hexadecimal.lowercase(made.sha256),
                faulty: made.faulty, unrecorded: made.unrecorded, damage: made.damage))
    }
}

/// A backup that was made.
private struct BackupReport: Report {
    let file: String
    let createdAt: String
    let bytes: Int
    let keys: Int
    /// Of the ledger.
    let entries: Int64
    /// The ledger's end in it, lower-case hex.
    let head: String
    /// Of the whole file, lower-case hex.
    let sha256: String
    /// Keys of which it has no sound copy, by their paths.
    let faulty: [String]
    /// Key files without a record, by their paths.
    let unrecorded: [String]
    @OrNull var damage: String?

    func text(width: Int) -> String {
        """
        \(TerminalText.escaped(file)): \(keys) key\(keys == 1 ? "" : "s"), \(entries) ledger \
        entr\(entries == 1 ? "y" : "ies"), \(bytes) bytes
        head \(head)
        sha256 \(sha256)

        """
    }
}
