import Database
import Documents
import Files
import Issuance
import Ledger
import PKI
import Secrets
import Vault

/// `purser init`.
enum InitCommand {
    static let recoveryKey = Option(
        flag: "recovery-key",
        "make a recovery key too, and print it, this once, to be kept on paper")

    static let verb = Verb(
        "init", summary: "make a home: vault key, records, and the ledger's first entry",
        discussion: [
            "The key file named by --master-key-file is used if it exists and made if it does not; with "
                + "--passphrase-file, or on a terminal, a passphrase opens the vault instead. An existing "
                + "home is refused with status 73.",
            "Without a secret that opens it nothing in the home can be opened, by anybody. Keep a copy "
                + "of the key file or the passphrase, and of master.json, away from this machine; a "
                + "recovery key on paper is a second way in.",
        ],
        options: [recoveryKey],
        examples: [
            Example(
                "purser init --home /srv/purser --master-key-file /etc/purser/master.key",
                "make a home whose vault a key file opens")
        ],
        needs: .nothing, isAct: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        let layout = invocation.layout
        let recoveryKey = invocation.isSet(recoveryKey) ? RecoveryKey.random() : nil
        if recoveryKey != nil { try invocation.checkRecoveryKeyCanBeShown() }
        let actor = LedgerActor.current()
        let caller = User.effective
        // Files are read as the user who asks. Whether they are any good is told only once it is
        // known that there is no home yet.
        let keyFile = try await invocation.namedKeyFile()
        let named = await outcome { try await invocation.namedUnlocker() }
        let prepared = try await invocation.enterPreparedHome {
            if try await isFounded(invocation) { throw VaultError.homeExists(layout.path) }
        }
        let known = try await known(named, keyFile, invocation)
        if let recoveryKey { try invocation.showBeforeItOpens(recoveryKey) }
        let secret = try known ?? newKeyFile(keyFile, invocation)
        let home = try await OpenHome.found(
            layout, prepared: prepared, secret: secret, recoveryKey: recoveryKey,
            clock: invocation.context.clock,
            actor: actor)
        let report = FoundingReport(
            home: layout.path, owner: User.effective.name, caller: caller.name,
            unlocker: secret.kind.rawValue, masterKeyFile: keyFile,
            isKeyFileNew: known == nil, recoveryKey: recoveryKey?.printed)
        if known == nil, let keyFile { invocation.warnOfForeignKeyFile(keyFile, caller: caller) }
        guard recoveryKey != nil,
            let paper = try layout.unlockers().first(where: { $0.kind == .recoveryKey })
        else { return try invocation.print(report) }
        try await invocation.print(report, showing: paper.id) {
            let vault = try await onOwnThread { try Vault.open(layout, secret: secret) }
            _ = try await home.removeUnlocker(paper.id, vault: vault)
        }
    }

    /// The secret that there is already, or that somebody types; nil where a key file is to be made.
    private static func known(
        _ named: Result<UnlockSecret?, any Error>, _ keyFile: String?, _ invocation: Invocation
    ) async throws -> UnlockSecret? {
        do {
            if let given = try named.get() {
                try given.checkNew()
                return given
            }
            return try .passphrase(checking: await askPassphrase(invocation))
        } catch FileError.notFound(let missing) where missing == keyFile {
            // What was begun with another key file cannot be finished with a new one.
            if try FileStatus.ifPresent(invocation.layout.master) != nil {
                throw FileError.notFound(missing)
            }
            return nil
        }
    }

    private static func newKeyFile(
        _ path: String?, _ invocation: Invocation
    ) throws -> UnlockSecret {
        guard let path else { throw VaultError.noUnlocker }
        return try Privileges.asRoot { try UnlockerAddCommand.makeKeyFile(path) }
    }

    private static func isFounded(_ invocation: Invocation) async throws -> Bool {
        do {
            return try await invocation.openHome(.readOnly).isFounded()
        } catch is VaultError {
            return false
        } catch DatabaseError.notOurs {
            // Begun, and ended before it was anything; what is really another's is refused later.
            return false
        }
    }

    private static func outcome<Success>(
        _ body: () async throws -> Success
    ) async -> Result<Success, any Error> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }

    private static func askPassphrase(_ invocation: Invocation) async throws -> SecretBytes {
        try await invocation.context.askNewSecret(
            "the passphrase", question: "Passphrase for the new home",
            use: "name a key file to be made with --master-key-file FILE")
    }
}

/// A home that was made, and what must not be lost.
private struct FoundingReport: Report {
    let home: String
    /// Who owns it: of a folder that was there already, its owner.
    let owner: String
    let caller: String
    let unlocker: String
    @OrNull var masterKeyFile: String?
    let isKeyFileNew: Bool
    /// Shown once, and kept nowhere.
    @OrNull var recoveryKey: String?

    private enum CodingKeys: String, CodingKey {
        case home, owner, unlocker, masterKeyFile, isKeyFileNew, recoveryKey
    }

    func text(width: Int) -> String {
        var lines = ["made the home \(home)"]
        if owner != caller {
            lines.append("it belongs to \(owner), who owned the folder; use it as \(owner)")
        }
        if let masterKeyFile {
            lines.append("\(isKeyFileNew ? "made" : "used") the master key file \(masterKeyFile)")
        }
        let what =
            switch UnlockerKind(rawValue: unlocker) {
            case .keyFile: "the master key file"
            case .recoveryKey: "the recovery key"
            case .passphrase, nil: "the passphrase"
            }
        lines.append("keep copies of \(what) and of master.json, apart from each other:")
        lines.append("whoever loses either loses every key in the home")
        return lines.map { TerminalText.escaped($0) + "\n" }.joined()
            + (recoveryKey == nil ? "" : "the recovery key above opens the home too\n")
    }
}
