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
    /// Keys that are missing or do not open; without leave to forget them the old vault key stays.
    package let unrenewed: [UnrenewedKey]
    /// Whether the old vault key is gone.
    package let isFinished: Bool
    /// Side files that are damaged and have no record, and keys of destroyed credentials that do not
    /// open; by their paths below the home, as they were.
    package var unreadable: [String]
    /// What has a name that no key's file has, by its path below the home.
    package let strangers: [String]
    /// An earlier rotation that was finished but for its entry in the ledger, by its generation.
    package let completed: Int?
}

extension OpenHome {
    /// Makes a new vault key and brings every file under it; services and readers go on meanwhile.
    ///
    /// The order is: entry in the ledger, both vault keys in `master.json`, every file, the new vault
    /// key alone, entry in the ledger. After a crash at any point the same again goes on.
    ///
    /// The old vault key is forgotten only when every key on record, and every file that may be a key,
    /// is under the new one. Otherwise both stay, until the files are back or their records are given
    /// up; `forgetting` ends the rotation all the same, and the ledger says which keys that cost.
    ///
    /// `progress` is told how many files of how many are done, and `damaged` why a merchant's records
    /// cannot be read; its files are brought under the new vault key all the same.
    ///
    /// - Throws: ``VaultError``, ``FileError``, ``DatabaseError``, ``PKIError``; then both vault keys
    ///   stay, and nothing is lost.
    package func rotateMasterKey(
        vault: Vault, forgetting: Bool = false,
        progress: @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in },
        damaged: @Sendable (any Error) -> Void = { _ in }
    ) async throws -> RotatedMasterKey {
        // A master.json of another time opens nothing: no key is to be taken for lost because of it.
        try await checkGeneration(of: vault)
        // What destroyed keys have left is wiped, and not reported as unreadable.
        try await settleAll(vault: vault, damaged: damaged)
        var (rotated, bad) = try await vault.holding(.exclusive, within: .seconds(60)) {
            try await rotateAlone(vault, forgetting: forgetting, progress)
        }
        rotated.unreadable += await writeAgain(bad, vault: vault)
        return rotated
    }

    private func rotateAlone(
        _ vault: Vault, forgetting: Bool, _ progress: @Sendable (Int, Int) -> Void
    ) async throws -> (RotatedMasterKey, badSideFiles: [KeySlot]) {
        let records = try await recordedKeys()
        try await checkGenerationAlone(of: vault, keys: records.kept)
        try layout.removeUnfinishedMaster()
        for merchant in try layout.merchantsWithKeys() {
            try layout.removeUnfinished(of: merchant)
        }
        let completed = try await completeEntry(vault)
        if !vault.isRotationUnfinished {
            let begun = entry(
                .masterKeyRotationBegun, Self.masterKeySubject,
                ["generation": String(try vault.generation + 1)])
            try await database.write { try Ledger.append(begun, in: $0) }
        }
        let rotation = try vault.beginRotation()
        let files = try renewAll(vault, progress)
        let unrenewed = files.unrenewed(by: records, layout)
        let leftovers = files.leftovers(by: records, layout)
        if unrenewed.isEmpty || forgetting {
            try vault.endRotation()
            var detail = [
                "generation": String(rotation.generation), "keys": String(files.keys),
                "unreadable": String(unrenewed.count + leftovers.count + files.strangers.count),
            ]
            if !unrenewed.isEmpty {
                detail["forgotten"] = unrenewed.map(\.path).joined(separator: " ")
            }
            let finished = entry(.masterKeyRotationFinished, Self.masterKeySubject, detail)
            try await database.write { try Ledger.append(finished, in: $0) }
        }
        return (
            RotatedMasterKey(
                rotation: rotation, keys: files.keys, sideFiles: files.sideFiles,
                unrenewed: unrenewed, isFinished: unrenewed.isEmpty || forgetting,
                unreadable: leftovers, strangers: files.strangers,
                completed: completed), files.badSideFiles
        )
    }

    private func renewAll(
        _ vault: Vault, _ progress: @Sendable (Int, Int) -> Void
    ) throws -> RenewedFiles {
        var renewed = RenewedFiles()
        let files = try layout.storedFiles()
        for (index, file) in files.enumerated() {
            FileLock.showProgress(layout.keysLock)
            let renewal = try vault.renew(file)
            switch file {
            case .bundle(let slot): renewed.bundles[slot] = renewal
            case .side where renewal.isDone: renewed.sideFiles += 1
            case .side(let slot): renewed.badSideFiles.append(slot)
            case .stranger: renewed.strangers.append(layout.shown(file))
            }
            progress(index + 1, files.count)
        }
        return renewed
    }

    /// Writes the last entry of a rotation that died right before it; its generation.
    private func completeEntry(_ vault: Vault) async throws -> Int? {
        guard !vault.isRotationUnfinished else { return nil }
        let generation = try vault.generation
        let last = try await database.read {
            try Ledger.list(LedgerFilter(subject: Self.masterKeySubject, limit: 1), in: $0).first
        }
        guard let last, last.act == Act.masterKeyRotationBegun.rawValue,
            last.details?["generation"] == String(generation)
        else { return nil }
        let entry = entry(
            .masterKeyRotationFinished, Self.masterKeySubject,
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
}
