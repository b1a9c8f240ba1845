import Database
import Merchants
import Registry
import Vault

/// A key that could not be brought under the new vault key, and why.
package struct UnrenewedKey: Sendable {
    /// Of its file, below the home; of a damaged record the database's.
    package let path: String
    /// ``VaultError`` or ``FileError``; of a damaged record its error.
    package let why: any Error
}

/// What the records say of the keys that are, or were, in the home.
struct RecordedKeys: Sendable {
    /// Those that are to be there.
    var kept: [KeySlot] = []
    /// Those of which nothing is to be there.
    var destroyed: Set<KeySlot> = []
    /// Why a record cannot be read; nobody knows of which key.
    var damage: [any Error] = []
}

extension OpenHome {
    /// Reads them; a damaged record keeps no other from being read.
    ///
    /// - Throws: ``DatabaseError``.
    func recordedKeys() async throws -> RecordedKeys {
        try await database.read { transaction in
            var records = RecordedKeys()
            let keys = try Credentials.localKeys(in: transaction) { records.damage.append($0) }
            for key in keys {
                let slot = KeySlot(
                    merchant: key.merchant, kind: key.kind, publicKeyHash: key.publicKeyHash)
                if key.isDestroyed {
                    records.destroyed.insert(slot)
                } else {
                    records.kept.append(slot)
                }
            }
            return records
        }
    }
}

/// What has become of the files below `keys/` in a rotation of the vault key.
struct RenewedFiles {
    var bundles: [KeySlot: Renewal] = [:]
    /// How many are under the new vault key.
    var sideFiles = 0
    /// Damaged ones, to be written again from their records.
    var badSideFiles: [KeySlot] = []
    /// Paths below the home.
    var strangers: [String] = []

    /// How many keys are under the new vault key.
    var keys: Int { bundles.values.count { $0 == .done || $0 == .misplaced } }

    /// The keys for whose sake the old vault key is kept: each one that a record names and that is not
    /// there under the new one, and each file with a key's name that no record gives up.
    ///
    /// Of a record that cannot be read nobody can say whether its key is among the files.
    func unrenewed(by records: RecordedKeys, _ layout: HomeLayout) -> [UnrenewedKey] {
        let kept = Set(records.kept)
        var found = records.kept.compactMap { slot in
            unrenewed(slot, bundles[slot] ?? .missing, layout)
        }
        found += bundles.compactMap { slot, renewal in
            guard !kept.contains(slot), !records.destroyed.contains(slot), renewal != .misplaced
            else { return nil }
            return unrenewed(slot, renewal, layout)
        }
        found.sort { $0.path < $1.path }
        return found
            + records.damage.map { UnrenewedKey(path: layout.shown(layout.database), why: $0) }
    }

    private func unrenewed(
        _ slot: KeySlot, _ renewal: Renewal, _ layout: HomeLayout
    ) -> UnrenewedKey? {
        let why: any Error
        switch renewal {
        case .done: return nil
        case .unreadable: why = VaultError.keyUnreadable(slot.shown)
        case .misplaced: why = VaultError.keyMismatch(slot.shown)
        case .missing: why = VaultError.keyMissing(slot.shown)
        case .refused(let error): why = error
        }
        return UnrenewedKey(path: layout.shown(.bundle(slot)), why: why)
    }

    /// What has come back of destroyed keys and does not open; by paths below the home.
    func leftovers(by records: RecordedKeys, _ layout: HomeLayout) -> [String] {
        bundles.filter { records.destroyed.contains($0.key) && !$0.value.isDone }
            .map { layout.shown(.bundle($0.key)) }.sorted()
    }
}
