package import Clocks
import Database
import Files
package import Ledger
package import Merchants
import PKI
import Registry
package import Vault

/// Records that were made anew.
package struct RebuiltHome: Sendable {
    package let merchants: [MerchantIdentifier]
    package let credentials: [Credential]
    /// What could not be brought back, or not as it was.
    package let findings: [RebuildFinding]
}

/// A key or side file of which the records could not say all.
package struct RebuildFinding: Sendable, Hashable {
    /// The file, below the home.
    package let path: String
    /// A phrase.
    package let what: String
}

extension OpenHome {
    /// Makes a new database from the keys and side files of a home that has lost its own.
    ///
    /// Merchants, realms, kinds, states, CSRs, certificates and keys come back. The ledger begins
    /// anew, and domains, names, owners, environments of the operator's, trust roots and provider
    /// certificates are gone: those are in a backup alone. Trust roots are not taken from the folder,
    /// because nothing vouches for them there.
    ///
    /// The database gets its name when it is complete: a crash leaves the home as it was.
    ///
    /// - Throws: ``VaultError/databaseThere(_:)`` for a home with a database,
    ///   ``VaultError/strayLog(_:)``, ``VaultError/strayJournal(_:)``, ``VaultError/noHome(_:)``
    ///   where there are no keys either, ``VaultError``, ``FileError``, ``DatabaseError``.
    package static func rebuild(
        _ layout: HomeLayout, secret: UnlockSecret, clock: any WallClock, actor: LedgerActor
    ) async throws -> RebuiltHome {
        try Folder.checkPrivate(layout.path)
        guard try FileStatus.ifPresent(layout.keys) != nil else {
            throw VaultError.noHome(layout.path)
        }
        let lock = try await layout.takeKeysLock(.exclusive)
        defer { withExtendedLifetime(lock) {} }
        try refuseDatabase(layout)
        let vault = try Vault.open(layout, secret: secret)
        var survey = KeySurvey(at: clock.now)
        for merchant in try layout.merchantsWithKeys() {
            try survey.add(merchant, in: layout, vault: vault)
        }
        // Rather another home's master.json, or one from before a rotation, than every key damaged.
        if survey.opened == 0, survey.unreadable > 0 { throw VaultError.noKeyOpens(layout.path) }
        survey.settleStates()
        try layout.removeUnfinishedFounding()
        try Folder.makeAll(["anchors"], below: layout.path)
        let temporary = layout.unfinishedCopy()
        // Once it has its own name nothing is left of this one.
        defer { try? DurableFile.remove(temporary) }
        let database = try await DatabaseFile.open(
            path: temporary, mode: .readWriteCreate, migrations: HomeSchema.migrations)
        let home = OpenHome(layout: layout, database: database, clock: clock, actor: actor)
        let (merchants, credentials) = (survey.merchants, survey.credentials)
        let entries = home.entries(for: survey)
        try await database.write { transaction in
            for merchant in merchants {
                try MerchantRecords.addRebuilt(merchant, in: transaction)
            }
            for credential in credentials {
                try Credentials.insert(credential, evenIfRetired: true, in: transaction)
                try Credentials.setSideFileDue(true, of: credential.id, in: transaction)
            }
            for entry in entries { try Ledger.append(entry, in: transaction) }
        }
        await database.close()
        try Folder.move(temporary, to: layout.database)
        return RebuiltHome(
            merchants: merchants.map(\.identifier), credentials: credentials,
            findings: survey.findings)
    }

    private static func refuseDatabase(_ layout: HomeLayout) throws {
        if try FileStatus.ifPresent(layout.database) != nil {
            throw VaultError.databaseThere(layout.path)
        }
        for folder in [layout.restoring, layout.restored]
        where try FileStatus.ifPresent(folder.path) != nil {
            throw VaultError.restoreUnfinished(layout.path)
        }
        // SQLite would take them for the new database's own.
        if try FileStatus.ifPresent(layout.log)?.size ?? 0 > 0 {
            throw VaultError.strayLog(layout.path)
        }
        for name in [layout.log, layout.logIndex] { try DurableFile.remove(name) }
        if try FileStatus.ifPresent(layout.journal) != nil {
            throw VaultError.strayJournal(layout.path)
        }
    }

    private func entries(for survey: KeySurvey) -> [LedgerEntry] {
        [
            entry(
                .homeRebuilt, "home",
                [
                    "merchants": String(survey.merchants.count),
                    "credentials": String(survey.credentials.count),
                    "findings": String(survey.findings.count),
                ])
        ]
            + survey.credentials.map { credential in
                entry(
                    .certificateRebuilt, credential.merchant.text,
                    [
                        "credential": credential.id.text, "kind": credential.kind.rawValue,
                        "state": credential.state.rawValue,
                        "key": Hexadecimal.lowercase(credential.publicKeyHash),
                    ])
            }
    }
}
