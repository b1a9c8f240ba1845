package import Clocks
package import Database
import Files
package import Ledger
import Registry
package import Vault

/// A home that may be used: its permissions are checked and its database is open.
///
/// Every act of this target is a method here. An act and its ledger entry are one transaction: what
/// cannot be recorded does not happen.
package struct OpenHome: Sendable {
    package let layout: HomeLayout
    package let database: DatabaseFile
    package let clock: any WallClock
    /// Who is recorded as having done what is done through this value.
    package let actor: LedgerActor

    /// Opens an existing home as its owner.
    ///
    /// - Throws: ``VaultError``, ``FileError`` for permissions, ``DatabaseError``.
    package static func open(
        _ layout: HomeLayout, mode: DatabaseFile.Mode, clock: any WallClock, actor: LedgerActor
    ) async throws -> OpenHome {
        try HomeGuard.check(layout)
        let database = try await DatabaseFile.open(
            path: layout.database, mode: mode, migrations: HomeSchema.migrations)
        return OpenHome(layout: layout, database: database, clock: clock, actor: actor)
    }

    /// Opens the records of a home whose permissions may be wrong elsewhere, for reading alone: for
    /// who is to tell what is wrong.
    ///
    /// - Throws: as ``open(_:mode:clock:actor:)``, for the database's files alone.
    package static func openForExamination(
        _ layout: HomeLayout, clock: any WallClock, actor: LedgerActor
    ) async throws -> OpenHome {
        try HomeGuard.checkDatabase(layout)
        let database = try await DatabaseFile.open(
            path: layout.database, mode: .readOnly, migrations: HomeSchema.migrations,
            busyTimeout: .seconds(3))
        return OpenHome(layout: layout, database: database, clock: clock, actor: actor)
    }

    /// The same home, with what is done through it recorded as `actor`'s.
    package func acting(as actor: LedgerActor) -> OpenHome {
        OpenHome(layout: layout, database: database, clock: clock, actor: actor)
    }

    /// Checks the ledger, also one whose triggers were taken away or changed; see `Ledger.verify`.
    ///
    /// Who changes an entry must take away the triggers first. That alone is a reason not to use the
    /// home; which entry was changed is told all the same.
    ///
    /// - Returns: the newest entry, and the one whose hash is `head`.
    /// - Throws: as ``open(_:mode:clock:actor:)``, and `LedgerError`, which goes before a changed
    ///   schema.
    package static func verifyLedger(
        _ layout: HomeLayout, expecting head: [UInt8]?
    ) async throws -> (head: LedgerHead, found: LedgerHead?) {
        try HomeGuard.check(layout)
        do {
            let database = try await DatabaseFile.open(
                path: layout.database, mode: .readOnly, migrations: HomeSchema.migrations)
            return try await database.read { transaction in
                var found: LedgerHead?
                let newest = try Ledger.verify(expecting: head, in: transaction) { found = $0 }
                return (newest, found)
            }
        } catch DatabaseError.schemaChanged(let path, let what) {
            let inquest = try await DatabaseFile.openForInquest(
                path: layout.database, migrations: HomeSchema.migrations)
            _ = try await inquest.read { try Ledger.verify(expecting: head, in: $0) }
            throw DatabaseError.schemaChanged(path: path, what: what)
        }
    }

    /// An entry for the ledger, at this moment by this actor.
    func entry(_ act: Act, _ subject: String, _ detail: [String: String] = [:]) -> LedgerEntry {
        LedgerEntry(at: clock.now, actor: actor, act: act, subject: subject, detail: detail)
    }
}
