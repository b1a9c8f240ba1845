import Clocks
import Database
import Files
import Ledger
package import Vault

/// Changing who opens the home.
///
/// The entry in the ledger comes first: what cannot be recorded does not happen. A crash in between
/// leaves an entry without its act, and the command is run again.
extension OpenHome {
    /// Lets `secret` open the home too.
    ///
    /// - Throws: ``VaultError``, ``FileError``, ``DatabaseError``.
    package func addUnlocker(_ secret: UnlockSecret, vault: Vault) async throws -> UnlockerRecord {
        try await vault.holding(.exclusive) {
            try layout.removeUnfinishedMaster()
            return try await carryOut(
                vault.adding(secret, at: clock.now), .unlockerAdded, vault: vault)
        }
    }

    /// Lets an unlocker open the home no longer.
    ///
    /// Whoever has its secret and an old copy of `master.json` still knows the vault key in use:
    /// a rotation helps.
    ///
    /// - Throws: as ``addUnlocker(_:vault:)``.
    package func removeUnlocker(_ id: String, vault: Vault) async throws -> UnlockerRecord {
        try await vault.holding(.exclusive) {
            try layout.removeUnfinishedMaster()
            return try await carryOut(vault.removing(id), .unlockerRemoved, vault: vault)
        }
    }

    private func carryOut(
        _ change: UnlockerChange, _ act: Act, vault: Vault
    ) async throws -> UnlockerRecord {
        let entry = entry(act, change.unlocker.id, ["kind": change.unlocker.kind.rawValue])
        try await database.write { try Ledger.append(entry, in: $0) }
        try vault.put(change)
        return change.unlocker
    }
}
