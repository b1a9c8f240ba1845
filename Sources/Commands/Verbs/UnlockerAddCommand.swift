import Files
import Issuance
import Secrets
import Vault

/// `purser unlocker add`.
enum UnlockerAddCommand {
    static let newKeyFile = Option(
        "new-key-file", "FILE",
        "a key file of 32 raw bytes outside the home; one that does not exist is made, mode 0600",
        kind: .file)
    static let newPassphraseFile = Option(
        "new-passphrase-file", "FILE",
        "a file with a passphrase; one trailing line end is not part of it", kind: .file)
    static let recoveryKey = Option(
        flag: "recovery-key", "make a recovery key and print it, this once, to be kept on paper")

    static let verb = Verb(
        "unlocker", "add", summary: "let another secret open the home too",
        discussion: [
            "The home is opened with a secret that it knows already (--master-key-file and so on). "
                + "Without a flag the new one is a passphrase, which a terminal asks for. Up to 32 "
                + "secrets open a home, of them 16 passphrases.",
            "A recovery key is for the drawer: 14 groups of four, with a checksum that finds a slip. "
                + "It is given back in a file (--recovery-key-file), or typed where a passphrase is "
                + "asked for; capitals, blanks and hyphens do not matter.",
        ],
        options: [newKeyFile, newPassphraseFile, recoveryKey],
        examples: [
            Example(
                "purser unlocker add --recovery-key", "print a recovery key for the safe"),
            Example(
                "purser unlocker add --new-key-file /etc/purser/second.key",
                "make a second key file that opens the home"),
        ],
        needs: .key, isAct: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        try refuseSeveral(invocation)
        // Files are read, and prompts asked, before the home is entered.
        let caller = User.effective
        let path = invocation.path(newKeyFile)
        var new = try await secretInFile(invocation)
        let recoveryKey = invocation.isSet(recoveryKey) ? RecoveryKey.random() : nil
        if let recoveryKey {
            try invocation.checkRecoveryKeyCanBeShown()
            new = recoveryKey.secret
        }
        let unlocked = try await invocation.unlockHome(wayBack: true)
        var isKeyFileNew = false
        if new == nil {
            // No key file is made, and nobody asked, for what would be refused.
            try unlocked.vault.checkRoomForUnlocker()
            if let path {
                new = try Privileges.asRoot { try makeKeyFile(path) }
                isKeyFileNew = true
            } else {
                new = try .passphrase(
                    checking: await invocation.context.askNewSecret(
                        "the passphrase", question: "New passphrase",
                        use: "name a file with --new-key-file or --new-passphrase-file FILE"))
            }
        }
        guard let new else { return }
        if let recoveryKey {
            try unlocked.vault.checkRoomForUnlocker()
            try invocation.showBeforeItOpens(recoveryKey)
        }
        let added: UnlockerRecord
        do {
            added = try await unlocked.home.addUnlocker(new, vault: unlocked.vault)
        } catch {
            if isKeyFileNew, let path { removeUnlessItOpens(path, new, unlocked.home.layout) }
            throw error
        }
        if isKeyFileNew, let path { invocation.warnOfForeignKeyFile(path, caller: caller) }
        let report = UnlockerChangeReport(
            unlocker: UnlockerReport(added), done: .added, keyFile: path,
            isKeyFileNew: isKeyFileNew, recoveryKey: recoveryKey?.printed,
            next: [
                recoveryKey == nil
                    ? "keep a copy of it away from the copies of the home"
                    : "write it down and lock it away: whoever has it and the home has every key"
            ])
        guard recoveryKey != nil else { return try invocation.print(report) }
        try await invocation.print(report, showing: added.id) {
            _ = try await unlocked.home.removeUnlocker(added.id, vault: unlocked.vault)
        }
    }

    private static func refuseSeveral(_ invocation: Invocation) throws {
        var given: [String] = []
        if invocation[newKeyFile] != nil { given.append("--\(newKeyFile.name)") }
        if invocation[newPassphraseFile] != nil { given.append("--\(newPassphraseFile.name)") }
        if invocation.isSet(recoveryKey) { given.append("--\(recoveryKey.name)") }
        if given.count > 1 { throw CommandLineError.conflictingFlags(given[0], given[1]) }
    }

    private static func secretInFile(_ invocation: Invocation) async throws -> UnlockSecret? {
        if let path = invocation.path(newKeyFile) {
            return try await invocation.newKeyFile(at: path)
        }
        guard let path = invocation.path(newPassphraseFile) else { return nil }
        return try await invocation.newPassphrase(at: path)
    }

    /// Removes a key file that was made for nothing.
    ///
    /// It stays where it may be an unlocker all the same: the disk may have failed after that.
    private static func removeUnlessItOpens(
        _ path: String, _ secret: UnlockSecret, _ layout: HomeLayout
    ) {
        do {
            _ = try Vault.open(layout, secret: secret)
        } catch VaultError.wrongKeyFile, VaultError.noSuchUnlocker {
            // What cannot be removed is found by its name, and opens nothing.
            try? Privileges.asRoot { () throws(FileError) in try DurableFile.wipe(path) }
        } catch {
            return
        }
    }

    /// Makes a key file as the user who asks; an existing one is never replaced.
    static func makeKeyFile(_ path: String) throws -> UnlockSecret {
        let key = SecretBytes.random(count: UnlockSecret.keyFileLength)
        try DurableFile.write(key, to: path, replacing: false)
        return .keyFile(key)
    }
}
