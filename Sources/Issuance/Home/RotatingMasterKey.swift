import Clocks
import Database
import Files
import Ledger
import Merchants
import Registry
package import Vault

/// What a rotation of the vault key has done.
package struct RotatedMasterKey: Sendable {
    package let rotation: Rotation
    /// How many keys are under the new vault key.
    package let keys: Int
    /// How many side files are.
    package let sideFiles: Int
    /// Files that opened under no vault key, by their paths below the home; they are as they were.
    package let unreadable: [String]
    /// An earlier rotation that was finished but for its entry in the ledger, by its generation.
    package let completed: Int?
}

extension OpenHome {
    /// Makes a new vault key and brings every file under it; services and readers go on meanwhile.
    ///
    /// The order is: entry in the ledger, both vault keys in `master.json`, every file, the new vault
    /// key alone, entry in the ledger. After a crash at any point the same again goes on.
    ///
    /// `progress` is told how many files of how many are done, and `damaged` why a merchant's records
    /// cannot be read; its files are brought under the new vault key all the same.
    ///
    /// - Throws: ``VaultError``, ``FileError``, ``DatabaseError``, ``PKIError``; then both vault keys
    ///   stay, and nothing is lost.
    package func rotateMasterKey(
        vault: Vault, progress: @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in },
        damaged: @Sendable (any Error) -> Void = { _ in }
    ) async throws -> RotatedMasterKey {
        // What destroyed keys have left is wiped, and not reported as unreadable.
        try await settleAll(vault: vault, damaged: damaged)
        let (rotated, bad) = try await vault.holding(.exclusive, within: .seconds(60)) {
            try await rotateAlone(vault, progress)
        }
        let lost = await writeAgain(bad, vault: vault)
        return RotatedMasterKey(
            rotation: rotated.rotation, keys: rotated.keys, sideFiles: rotated.sideFiles,
            unreadable: rotated.unreadable + lost, completed: rotated.completed)
    }

    private func rotateAlone(
        _ vault: Vault, _ progress: @Sendable (Int, Int) -> Void
    ) async throws -> (RotatedMasterKey, badSideFiles: [KeySlot]) {
        try layout.removeUnfinishedMaster()
        for merchant in try layout.merchantsWithKeys() {
            try layout.removeUnfinished(of: merchant)
        }
        let completed = try await completeEntry(vault)
        if !vault.isRotationUnfinished {
            let begun = entry(
                .masterKeyRotationBegun, Self.subject,
                ["generation": String(try vault.generation + 1)])
            try await database.write { try Ledger.append(begun, in: $0) }
        }
        let rotation = try vault.beginRotation()
        let files = try layout.storedFiles()
        var unreadable: [String] = []
        var badSideFiles: [KeySlot] = []
        var (keys, sideFiles) = (0, 0)
        for (index, file) in files.enumerated() {
            FileLock.showProgress(layout.keysLock)
            let isRenewed = try vault.renew(file)
            switch file {
            case .bundle where isRenewed: keys += 1
            case .side where isRenewed: sideFiles += 1
            case .side(let slot): badSideFiles.append(slot)
            case .bundle, .stranger: unreadable.append(layout.shown(file))
            }
            progress(index + 1, files.count)
        }
        try vault.endRotation()
        let finished = entry(
            .masterKeyRotationFinished, Self.subject,
            [
                "generation": String(rotation.generation), "keys": String(keys),
                "unreadable": String(unreadable.count),
            ])
        try await database.write { try Ledger.append(finished, in: $0) }
        return (
            RotatedMasterKey(
                rotation: rotation, keys: keys, sideFiles: sideFiles, unreadable: unreadable,
                completed: completed), badSideFiles
        )
    }

    /// Writes the last entry of a rotation that died right before it; its generation.
    private func completeEntry(_ vault: Vault) async throws -> Int? {
        guard !vault.isRotationUnfinished else { return nil }
        let generation = try vault.generation
        let last = try await database.read {
            try Ledger.list(LedgerFilter(subject: Self.subject, limit: 1), in: $0).first
        }
        guard let last, last.act == Act.masterKeyRotationBegun.rawValue,
            last.details?["generation"] == String(generation)
        else { return nil }
        let entry = entry(
            .masterKeyRotationFinished, Self.subject,
            [
                "generation": String(generation),
                "reason": "found finished; the command that did it died before it could record it",
            ])
        try await database.write { try Ledger.append(entry, in: $0) }
        return generation
    }

    /// Side files that are damaged are written again from their records; the paths of those that
    /// cannot be.
    private func writeAgain(_ slots: [KeySlot], vault: Vault) async -> [String] {
        var lost: [String] = []
        for slot in slots {
            // The rotation is done, and what fails here is told by the file's name.
            let isWritten = try? await writeAgain(slot, vault: vault)
            if isWritten != true { lost.append(layout.shown(.side(slot))) }
        }
        return lost
    }

    /// False where there is no record.
    private func writeAgain(_ slot: KeySlot, vault: Vault) async throws -> Bool {
        let isRecorded = try await database.write { transaction in
            let found = try Credentials.find(
                publicKeyHash: slot.publicKeyHash, merchant: slot.merchant, kind: slot.kind,
                in: transaction)
            guard let found, found.custody == .local else { return false }
            try Credentials.setSideFileDue(true, of: found.id, in: transaction)
            return true
        }
        if isRecorded { try await writeSideFiles(of: slot.merchant, vault: vault) }
        return isRecorded
    }

    /// Refuses a `master.json` from before the last rotation that the ledger knows of.
    ///
    /// It opens, but no file in the home does, and what was written under its vault key would be lost
    /// with the right one back in its place.
    ///
    /// - Throws: ``VaultError/masterOutdated(generation:known:)``, ``DatabaseError``.
    package func checkGeneration(of vault: Vault) async throws {
        let generation = try vault.generation
        let known = try await database.read { transaction in
            try Ledger.list(
                LedgerFilter(
                    subject: Self.subject, act: .masterKeyRotationFinished, limit: 1),
                in: transaction
            ).first?.details?["generation"].flatMap { Int($0) }
        }
        guard let known, known > generation else { return }
        // It may have been rotated between the two looks.
        try vault.follow()
        let now = try vault.generation
        if known > now { throw VaultError.masterOutdated(generation: now, known: known) }
    }

    private static let subject = "master-key"
}
