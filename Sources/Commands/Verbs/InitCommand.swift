import Database
import Files
import Issuance
import Ledger
import PKI
import Secrets
import Vault

/// `purser init`.
enum InitCommand {
    static let verb = Verb(
        "init", summary: "make a home: vault key, records, and the ledger's first entry",
        discussion: [
            "The key file named by --master-key-file is used if it exists and made if it does not; with "
                + "--passphrase-file, or on a terminal, a passphrase opens the vault instead. An existing "
                + "home is refused with status 73.",
            "Without the key file or the passphrase nothing in the home can be opened, by anybody. Keep "
                + "a copy of it, and of master.json, away from this machine.",
        ],
        examples: [
            Example(
                "purser init --home /srv/purser --master-key-file /etc/purser/master.key",
                "make a home whose vault a key file opens")
        ],
        needs: .nothing, run: run)

    static func run(_ invocation: Invocation) async throws {
        let layout = invocation.layout
        if try FileStatus.ifPresent(layout.database) != nil,
            try FileStatus.ifPresent(layout.master) != nil, try await isFounded(invocation)
        {
            throw VaultError.homeExists(layout.path)
        }
        let (secret, made) = try await secret(invocation)
        // An empty folder that somebody prepared keeps its owner; a new one is the caller's.
        if try FileStatus.ifPresent(layout.path) != nil { try HomeGuard.enter(layout) }
        _ = try await OpenHome.found(
            layout, secret: secret, clock: invocation.context.clock, actor: .current())
        try invocation.print(
            FoundingReport(
                home: layout.path, unlocker: secret.kind.rawValue, masterKeyFile: made?.path,
                isKeyFileNew: made?.isNew ?? false))
    }

    private static func isFounded(_ invocation: Invocation) async throws -> Bool {
        do {
            let home = try await invocation.openHome(.readOnly)
            return try await home.isFounded()
        } catch is VaultError {
            return false
        }
    }

    private struct KeyFile {
        let path: String
        let isNew: Bool
    }

    /// The key file, made if it is not there; else a passphrase from its file or typed twice.
    private static func secret(
        _ invocation: Invocation
    ) async throws -> (UnlockSecret, KeyFile?) {
        if let path = try await invocation.namedKeyFile() {
            let isNew = try FileStatus.ifPresent(path) == nil
            if isNew {
                try DurableFile.write(
                    SecretBytes.random(count: UnlockSecret.keyFileLength), to: path,
                    replacing: false)
            }
            return (try UnlockSecret.readKeyFile(path), KeyFile(path: path, isNew: isNew))
        }
        if let secret = try await invocation.namedUnlocker() { return (secret, nil) }
        let typed = try await invocation.context.askNewSecret(
            "the passphrase", question: "Passphrase for the new home",
            use: "--master-key-file FILE")
        return (try UnlockSecret.passphrase(checking: typed), nil)
    }
}

/// A home that was made, and what must not be lost.
private struct FoundingReport: Report {
    let home: String
    let unlocker: String
    @OrNull var masterKeyFile: String?
    let isKeyFileNew: Bool

    func text(width: Int) -> String {
        var lines = ["made the home \(home)"]
        if let masterKeyFile {
            lines.append("\(isKeyFileNew ? "made" : "used") the master key file \(masterKeyFile)")
        }
        let what = masterKeyFile == nil ? "the passphrase" : "the master key file"
        lines.append("keep copies of \(what) and of master.json, apart from each other:")
        lines.append("whoever loses either loses every key in the home")
        return lines.map { TerminalText.escaped($0) + "\n" }.joined()
    }
}
