package import Clocks
import Database
package import Files
package import Ledger
import Registry
package import Vault

extension OpenHome {
    /// Makes a home, or finishes one that a crash left half made.
    ///
    /// The order is: folders, `master.json`, database with its first ledger entry. A home counts as
    /// made once that entry is there; until then the same secret may go on from where it stopped.
    ///
    /// `prepared` is the folder that somebody has made for it, as it was before the step down to its
    /// owner; without it the folder is made here. `recoveryKey` opens the home too; only its being
    /// there is recorded.
    ///
    /// - Throws: ``VaultError/homeMoved(_:)`` when `prepared` is gone or another,
    ///   ``VaultError/homeExists(_:)`` for a home that is made,
    ///   ``VaultError/databaseMissing(_:)`` and ``VaultError/masterMissing(_:)`` for one that lost it,
    ///   ``VaultError/wrongKeyFile``
    ///   for one that somebody began with another secret, ``FileError``, ``DatabaseError``.
    package static func found(
        _ layout: HomeLayout, prepared: FileStatus? = nil, secret: UnlockSecret,
        recoveryKey: RecoveryKey? = nil, clock: any WallClock, actor: LedgerActor
    ) async throws -> OpenHome {
        try makeFolder(layout, prepared: prepared)
        try Folder.makeAll(["keys"], below: layout.path)
        try Folder.makeAll(["anchors"], below: layout.path)
        // Two that found the same home at once: the second waits and finds it made.
        let lock = try FileLock.take(layout.keysLock, .exclusive)
        defer { withExtendedLifetime(lock) {} }
        for folder in [layout.restoring, layout.restored]
        where try FileStatus.ifPresent(folder.path) != nil {
            throw VaultError.restoreUnfinished(layout.path)
        }
        try layout.removeUnfinishedFounding()
        try HomeGuard.checkFounding(layout)
        if try await isFounded(layout) { throw VaultError.homeExists(layout.path) }
        // Keys are made in finished homes only: something has been lost, and must not be papered over.
        if try layout.holdsKeys() {
            throw try FileStatus.ifPresent(layout.master) == nil
                ? VaultError.masterMissing(layout.path) : VaultError.databaseMissing(layout.path)
        }
        if try FileStatus.ifPresent(layout.master) == nil {
            _ = try Vault.create(layout, secret: secret, recoveryKey: recoveryKey, at: clock.now)
        } else {
            try Vault.open(layout, secret: secret)
                .beginAgain(recoveryKey: recoveryKey, at: clock.now)
        }
        let database = try await DatabaseFile.open(
            path: layout.database, mode: .readWriteCreate, migrations: HomeSchema.migrations)
        let home = OpenHome(layout: layout, database: database, clock: clock, actor: actor)
        var detail = ["unlocker": secret.kind.rawValue]
        if recoveryKey != nil { detail["recoveryKey"] = "yes" }
        let entry = home.entry(.homeCreated, "home", detail)
        try await database.write { transaction in
            guard try Ledger.head(in: transaction) == .beginning else {
                throw VaultError.homeExists(layout.path)
            }
            try Ledger.append(entry, in: transaction)
        }
        return home
    }

    /// Makes the folder of a home to come, or looks again at the one that was prepared for it.
    ///
    /// - Throws: ``VaultError/homeMoved(_:)``, ``FileError``.
    static func makeFolder(_ layout: HomeLayout, prepared: FileStatus?) throws {
        if let prepared {
            try HomeGuard.checkStill(prepared)
        } else {
            try HomeGuard.admitFounding(layout)
            if try FileStatus.ifPresent(layout.path) == nil { try Folder.make(layout.path) }
        }
        try Folder.checkPrivate(layout.path)
    }

    /// Whether this home is made; a database without an entry is only begun.
    ///
    /// - Throws: ``DatabaseError``.
    package func isFounded() async throws -> Bool {
        try await database.read { try Ledger.head(in: $0) } != .beginning
    }

    private static func isFounded(_ layout: HomeLayout) async throws -> Bool {
        guard try FileStatus.ifPresent(layout.database) != nil else { return false }
        let database = try await DatabaseFile.open(
            path: layout.database, mode: .readWriteCreate, migrations: HomeSchema.migrations)
        let head = try await database.read { try Ledger.head(in: $0) }
        await database.close()
        return head != .beginning
    }
}
