package import Clocks
import FoundationEssentials

/// What a backup holds: the last file in it, under a code of the vault's.
///
/// Whoever lacks the vault key can neither change a file of a backup, nor leave one out, nor put two
/// backups together, without being noticed.
package struct BackupManifest: Sendable, Hashable, Codable {
    /// When the database's copy was made.
    package var createdAt: Timestamp
    /// The ledger's end in the copy.
    package var ledger: End
    /// Every other file, in the archive's order.
    package var files: [File]
    /// Key files, by their paths, that were missing or did not open when the backup was made.
    package var faulty: [String]
    /// What was wrong with the records that were copied; nil where nothing was.
    package var damage: String?

    package struct End: Sendable, Hashable, Codable {
        package var sequence: Int64
        /// Lower-case hex.
        package var hash: String

        package init(sequence: Int64, hash: String) {
            self.sequence = sequence
            self.hash = hash
        }
    }

    package struct File: Sendable, Hashable, Codable {
        package var path: String
        /// In bytes.
        package var size: Int
        /// Lower-case hex.
        package var sha256: String
    }

    package init(
        createdAt: Timestamp, ledger: End, files: [File], faulty: [String], damage: String?
    ) {
        self.createdAt = createdAt
        self.ledger = ledger
        self.files = files
        self.faulty = faulty
        self.damage = damage
    }
}

extension Vault {
    /// A manifest as it stands in a backup.
    ///
    /// - Throws: ``VaultError/masterDamaged(_:)`` for a vault without a key.
    func encoded(_ manifest: BackupManifest) throws -> [UInt8] {
        try currentKey().sealed(manifest, for: .backup)
    }

    /// Reads a manifest and checks its code.
    ///
    /// - Throws: ``VaultError/backupDamaged(_:)``.
    package func manifest(_ bytes: [UInt8]) throws -> BackupManifest {
        let found = try following { keys in
            keys.lazy.compactMap { $0.unsealed(BackupManifest.self, bytes, for: .backup) }.first
        }
        guard let found else {
            throw VaultError.backupDamaged("its manifest was changed, or is another home's")
        }
        return found
    }
}
