import Clocks
import Database
import Files
import Ledger
import Merchants
import PKI
import Registry
import Secrets
import TestSupport

@testable import Vault

/// What Keystore/README.md promises of a home in which every crash has been settled.
///
/// Keys, side files, records and ledger are read with the product's own parts, because only they
/// can; the database is also checked by `sqlite3`.
struct HomeExamination {
    private(set) var faults: [String] = []
    private(set) var credentials: [Credential] = []
    /// The generations of the home's vault keys.
    private(set) var generations: [Int] = []

    /// Examines all of `home`; nothing is left out when the first fault is found.
    ///
    /// With `settled` false, what only a command with the key settles is not expected.
    init(_ home: TestHome, settled: Bool = true) async throws {
        let layout = HomeLayout(path: home.path)
        let database = try await DatabaseFile.open(
            path: layout.database, mode: .readOnly, migrations: HomeSchema.migrations)
        let (credentials, told) = try await database.read { transaction in
            _ = try Ledger.verify(in: transaction)
            return (
                try Credentials.list(in: transaction),
                try Ledger.list(in: transaction).compactMap { $0.details?["credential"] }
            )
        }
        await database.close()
        self.credentials = credentials
        let explained = Set(told)
        for credential in credentials where !explained.contains(credential.id.text) {
            faults.append("\(credential.id) is not in the ledger")
        }

        let keyFile = try UnlockSecret.readKeyFile(home.keyFile)
        let vault = try Vault.open(layout, secret: keyFile)
        generations = vault.keys.map(\.generation)
        try examineFiles(layout, vault, settled: settled)
        if settled { try examineRecords(vault) }
        try examineTree(home, settled: settled)

        let integrity = try ForeignProcess.run(
            "sqlite3", [layout.database, "PRAGMA integrity_check; PRAGMA foreign_key_check"])
        if integrity.text != "ok\n" {
            faults.append("sqlite3: \(integrity.text)\(integrity.errorText)")
        }
    }

    /// Every key's file opens, and has a record.
    private mutating func examineFiles(
        _ layout: HomeLayout, _ vault: Vault, settled: Bool
    ) throws {
        let recorded = Set(credentials.map(Self.slot))
        for merchant in try layout.merchantsWithKeys() {
            for slot in try layout.slots(of: merchant) {
                do {
                    _ = try vault.key(in: slot)
                    let bundle = try vault.bundle(in: slot) ?? []
                    let count = vault.keys.count { $0.open(bundle, in: slot) != nil }
                    if count != 1 {
                        faults.append("\(slot.fingerprint) opens under \(count) vault keys")
                    }
                } catch {
                    faults.append("\(slot.fingerprint): \(error)")
                }
                if settled && !recorded.contains(slot) {
                    faults.append("\(slot.fingerprint) has no record")
                }
            }
        }
    }

    /// Every record has its key's file, unless that was destroyed, and a side file that says the same.
    private mutating func examineRecords(_ vault: Vault) throws {
        for credential in credentials where credential.custody == .local {
            let slot = Self.slot(credential)
            if vault.holdsKey(in: slot) == (credential.state == .destroyed) {
                faults.append("\(credential.id) is \(credential.state), and its key says otherwise")
            }
            let side = try vault.side(in: slot)
            if side != SideFile(credential) {
                faults.append(
                    "\(credential.id) is \(credential.state), and its side file says "
                        + (side.map { "\($0.state)" } ?? "nothing"))
            }
        }
    }

    /// Nothing unfinished lies about, and nothing is open to others.
    private mutating func examineTree(_ home: TestHome, settled: Bool) throws {
        let tree = try ForeignProcess.run("find", [home.path, "-printf", "%y %m %p\n"])
        for line in tree.text.split(separator: "\n") {
            let isClosed = line.hasPrefix("f 600 ") || line.hasPrefix("d 700 ")
            let isUnfinished = line.contains("/.unfinished-") || line.contains(".new-")
            if !isClosed || settled && isUnfinished { faults.append(String(line)) }
        }
    }

    private static func slot(_ credential: Credential) -> KeySlot {
        KeySlot(credential)
    }
}
