package import Clocks
import Database
package import Files
package import Ledger
import Merchants
import PKI
import Registry
package import Vault

/// A backup that was made.
package struct MadeBackup: Sendable {
    /// As it stands in the manifest.
    package let createdAt: Timestamp
    /// The ledger's end in it.
    package let ledger: LedgerHead
    /// Key files in it.
    package let keys: Int
    /// SHA-256 of the whole file.
    package let sha256: [UInt8]
    /// Keys of which there is no sound copy, by their paths below the home.
    package let faulty: [String]
}

extension OpenHome {
    /// Copies the home into one file, while services and commands use it.
    ///
    /// Keys, side files and records are those of one moment: the database is copied first, and from
    /// that copy it is told which keys belong to it and what their side files say. A key that is on
    /// its way meanwhile is in the next backup. Rotations of the vault key and destructions wait,
    /// and are waited for.
    ///
    /// The ledger's entry comes first and is in the copy: a backup that fails afterwards is recorded
    /// as one, never the other way round.
    ///
    /// `path` is what the ledger calls the file; `damaged` is told of records that cannot be read,
    /// whose files are copied as they lie.
    ///
    /// - Throws: ``VaultError``, ``FileError``, ``DatabaseError``, ``LedgerError``.
    package func backUp(
        to file: NewFile, named path: String, vault: Vault,
        damaged: @Sendable (any Error) -> Void
    ) async throws -> MadeBackup {
        try await settleAll(vault: vault, damaged: damaged)
        try await removeUnfinishedCopies(vault)
        return try await vault.holding(.shared) {
            try await copy(to: file, named: path, vault: vault, damaged: damaged)
        }
    }

    private func copy(
        to file: NewFile, named path: String, vault: Vault,
        damaged: @Sendable (any Error) -> Void
    ) async throws -> MadeBackup {
        let entry = entry(.homeBackedUp, "home", ["file": path])
        try await database.write { try Ledger.append(entry, in: $0) }
        let now = clock.now
        let temporary = layout.unfinishedCopy()
        defer { try? DurableFile.remove(temporary) }
        try await database.snapshot(to: temporary)
        let copy = try await DatabaseFile.open(
            path: temporary, mode: .readOnly, migrations: HomeSchema.migrations)
        let writer = BackupWriter(vault, at: now) { try file.append($0) }
        try writer.add(.master, readWhole(layout.master, .master))
        if let settings = try InputFile.readIfPresent(
            layout.settings, limit: BackupMember.settings.sizeLimit)
        {
            try writer.add(.settings, settings)
        }
        let (head, roots, merchants) = try await copy.read { transaction in
            (
                try Ledger.head(in: transaction), try RealmRoots.list(in: transaction),
                try MerchantRecords.identifiers(in: transaction)
            )
        }
        for root in roots {
            let member = BackupMember.anchor(root.realm, fingerprint: root.fingerprint)
            // One that is missing is told by whoever needs it.
            if let bytes = try InputFile.readIfPresent(
                "\(layout.path)/\(member.path)", limit: member.sizeLimit)
            {
                try writer.add(member, bytes)
            }
        }
        for merchant in merchants {
            try await addKeys(of: merchant, recordedIn: copy, to: writer, damaged: damaged)
        }
        await copy.close()
        try writer.add(.database, from: temporary)
        let (sha256, faulty) = try writer.finish(
            ledger: BackupManifest.End(
                sequence: head.sequence, hash: Hexadecimal.lowercase(head.hash)))
        return MadeBackup(
            createdAt: now, ledger: head, keys: writer.keys, sha256: sha256, faulty: faulty)
    }

    /// What the ledger says of backups that were made, or begun, since `time`; oldest first.
    ///
    /// - Throws: ``DatabaseError``.
    package func backups(since time: Timestamp) async throws -> [LedgerRecord] {
        try await database.read {
            try Ledger.list(LedgerFilter(act: .homeBackedUp, since: time), in: $0)
        }
    }

    private func addKeys(
        of merchant: MerchantIdentifier, recordedIn copy: DatabaseFile, to writer: BackupWriter,
        damaged: @Sendable (any Error) -> Void
    ) async throws {
        let credentials: [Credential]
        do {
            credentials = try await copy.read { try Credentials.list(merchant: merchant, in: $0) }
        } catch let error where Credentials.isDamage(error) {
            damaged(error)
            for slot in try layout.slots(of: merchant) { try writer.addKey(in: slot) }
            return
        }
        for credential in credentials where credential.custody == .local {
            let slot = KeySlot(credential)
            if credential.state != .destroyed { try writer.addKey(in: slot) }
            try writer.add(SideFile(credential), in: slot)
        }
    }

    private func readWhole(_ path: String, _ member: BackupMember) throws -> [UInt8] {
        try InputFile.read(path, limit: member.sizeLimit)
    }

    /// Removes copies of the database that backups have left which did not finish.
    private func removeUnfinishedCopies(_ vault: Vault) async throws {
        _ = try await vault.holdingIfFree(.exclusive) { try layout.removeUnfinishedFounding() }
    }
}
