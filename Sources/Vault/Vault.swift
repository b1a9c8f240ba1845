package import Clocks
import Files
import PKI
import Secrets

/// An unlocked home's keys.
///
/// It holds the vault keys (at most two: a rotation is under way) and nothing of the database.
/// Immutable: a service that follows a rotation opens it anew.
package final class Vault: Sendable {
    package let layout: HomeLayout
    /// Newest last; new files are written under the last.
    let keys: [VaultKey]

    private init(layout: HomeLayout, keys: [VaultKey]) {
        self.layout = layout
        self.keys = keys
    }

    /// Makes `master.json` with a fresh vault key under one unlocker.
    ///
    /// - Throws: ``FileError/exists(_:)`` when there is one; nothing is replaced.
    package static func create(
        _ layout: HomeLayout, secret: UnlockSecret, at now: Timestamp
    ) throws -> Vault {
        let keys = [VaultKey.fresh(generation: 1)]
        let unlocker = try MasterFile.Unlocker.make(secret: secret, keys: keys, at: now)
        let file = MasterFile(generation: 1, unlockers: [unlocker])
        try DurableFile.write(file.encoded(), to: layout.master, replacing: false)
        return Vault(layout: layout, keys: keys)
    }

    /// Opens `master.json` with what was offered.
    ///
    /// - Throws: ``VaultError/wrongKeyFile``, ``VaultError/wrongPassphrase``,
    ///   ``VaultError/noSuchUnlocker(_:)``, ``VaultError/masterMissing(_:)``,
    ///   ``VaultError/masterDamaged(_:)``, ``VaultError/masterNewer(_:)``,
    ///   ``VaultError/masterTooCostly(_:)``, ``FileError``.
    package static func open(_ layout: HomeLayout, secret: UnlockSecret) throws -> Vault {
        guard
            let bytes = try InputFile.readIfPresent(layout.master, limit: MasterFile.sizeLimit)
        else { throw VaultError.masterMissing(layout.path) }
        let file = try MasterFile(decoding: bytes)
        guard file.unlockers.contains(where: { $0.kind == secret.kind }) else {
            throw VaultError.noSuchUnlocker(secret.kind)
        }
        for unlocker in file.unlockers {
            guard let keys = try unlocker.open(with: secret) else { continue }
            guard keys.contains(where: { $0.generation == file.generation }) else {
                throw VaultError.masterDamaged("the vault key in use is missing from an unlocker")
            }
            let others = keys.filter { $0.generation != file.generation }
            return Vault(
                layout: layout, keys: others + keys.filter { $0.generation == file.generation })
        }
        throw secret.kind == .keyFile ? VaultError.wrongKeyFile : VaultError.wrongPassphrase
    }

    /// The vault key that new files are written under.
    func currentKey() throws -> VaultKey {
        guard let key = keys.last else { throw VaultError.masterDamaged("it holds no vault key") }
        return key
    }
}
