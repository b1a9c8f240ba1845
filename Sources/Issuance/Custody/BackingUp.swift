package import Clocks
import Database
package import Files
package import Ledger
import Merchants
import PKI
import Problems
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
    /// Key files that no record names, by their paths; they are in it as they lie in the home.
    package let unrecorded: [String]
    /// What is wrong with the records; nil where nothing is.
    package let damage: String?
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
    /// `path` is what the ledger calls the file. Damaged records are refused, because such a backup is
    /// soon the only one there is; with `acceptingDamage` they are copied as they are, and the backup
    /// says so. `damaged` is told of each merchant whose records cannot be read.
    ///
    /// - Throws: ``VaultError``, ``FileError``, ``DatabaseError``, ``LedgerError``.
    package func backUp(
        to file: NewFile, named path: String, vault: Vault, acceptingDamage: Bool = false,
        damaged: @Sendable (any Error) -> Void
    ) async throws -> MadeBackup {
        // What has been there from the beginning is not on its way.
        let present = try layout.merchantsWithKeys().flatMap { try layout.slots(of: $0) }
        try await settleAll(vault: vault, damaged: damaged)
        try await removeUnfinishedCopies(vault)
        return try await vault.holding(.shared) {
            try await copy(
                to: file, named: path, vault: vault, acceptingDamage: acceptingDamage,
                present: present, damaged: damaged)
        }
    }

    private func copy(
        to file: NewFile, named path: String, vault: Vault, acceptingDamage: Bool,
        present: [KeySlot], damaged: @Sendable (any Error) -> Void
    ) async throws -> MadeBackup {
        let entry = entry(.homeBackedUp, "home", ["file": path])
        try await database.write { try Ledger.append(entry, in: $0) }
        let now = clock.now
        let temporary = layout.unfinishedCopy()
        defer { try? DurableFile.remove(temporary) }
        try await database.snapshot(to: temporary)
        let copy = try await DatabaseFile.open(
            path: temporary, mode: .readOnly, migrations: HomeSchema.migrations)
        let damage = await Self.damage(of: copy)
        if let damage, !acceptingDamage { throw VaultError.homeDamaged(damage) }
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
            _ = try writer.addAsItLies(member)
        }
        var added: Set<KeySlot> = []
        for merchant in merchants {
            added.formUnion(
                try await addKeys(of: merchant, recordedIn: copy, to: writer, damaged: damaged))
        }
        await copy.close()
        let unrecorded = try await addUnrecorded(present.filter { !added.contains($0) }, to: writer)
        try writer.add(.database, from: temporary)
        let (sha256, faulty) = try writer.finish(
            ledger: BackupManifest.End(
                sequence: head.sequence, hash: Hexadecimal.lowercase(head.hash)), damage: damage)
        return MadeBackup(
            createdAt: now, ledger: head, keys: writer.keys, sha256: sha256, faulty: faulty,
            unrecorded: unrecorded, damage: damage)
    }

    /// What is wrong with the records of a copy, in a phrase; nil where nothing is.
    static func damage(of copy: DatabaseFile) async -> String? {
        do {
            if let first = try await copy.integrityCheck().first { return first }
            try await copy.read { transaction in
                _ = try Ledger.verify(in: transaction)
                for merchant in try MerchantRecords.identifiers(in: transaction) {
                    _ = try MerchantRecords.find(merchant, in: transaction)
                    _ = try Credentials.list(merchant: merchant, in: transaction)
                }
            }
            return nil
        } catch {
            return (error as? any Explained)?.summary ?? "\(error)"
        }
    }

    /// Keys that no record names are copied as they lie, whoever has put them there.
    private func addUnrecorded(
        _ slots: [KeySlot], to writer: BackupWriter
    ) async throws -> [String] {
        var paths: [String] = []
        for slot in slots {
            // Recorded meanwhile, it is in the next backup.
            let isRecorded = try await database.read {
                try Credentials.find(
                    publicKeyHash: slot.publicKeyHash, merchant: slot.merchant, kind: slot.kind,
                    in: $0) != nil
            }
            if isRecorded { continue }
            try writer.addKey(in: slot)
            _ = try writer.addAsItLies(.side(slot))
            paths.append(BackupMember.bundle(slot).path)
        }
        return paths
    }

    /// What the ledger says of backups that were made, or begun, since `time`; oldest first.
    ///
    /// - Throws: ``DatabaseError``.
    package func backups(since time: Timestamp) async throws -> [LedgerRecord] {
        try await database.read {
            try Ledger.list(LedgerFilter(act: .homeBackedUp, since: time), in: $0)
        }
    }

    /// - Returns: the places that were dealt with.
    private func addKeys(
        of merchant: MerchantIdentifier, recordedIn copy: DatabaseFile, to writer: BackupWriter,
        damaged: @Sendable (any Error) -> Void
    ) async throws -> [KeySlot] {
        let credentials: [Credential]
        do {
            credentials = try await copy.read { try Credentials.list(merchant: merchant, in: $0) }
        } catch let error where Credentials.isDamage(error) {
            damaged(error)
            let slots = try layout.slots(of: merchant)
            for slot in slots {
                try writer.addKey(in: slot)
                _ = try writer.addAsItLies(.side(slot))
            }
            return slots
        }
        for credential in credentials where credential.custody == .local {
            let slot = KeySlot(credential)
            if credential.state != .destroyed { try writer.addKey(in: slot) }
            try writer.add(SideFile(credential), in: slot)
        }
        return credentials.map { KeySlot($0) }
    }

    private func readWhole(_ path: String, _ member: BackupMember) throws -> [UInt8] {
        try InputFile.read(path, limit: member.sizeLimit)
    }

    /// Removes copies of the database that backups have left which did not finish.
    private func removeUnfinishedCopies(_ vault: Vault) async throws {
        _ = try await vault.holdingIfFree(.exclusive) { try layout.removeUnfinishedFounding() }
    }
}
