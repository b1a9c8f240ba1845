import Database
import Files
import Ledger
package import Vault

/// What the home knows of the generations of its vault key, beside `master.json`.
///
/// A `master.json` from before a rotation opens, but no file in the home does, and what was written
/// under its vault key would be lost with the right one back in its place.
extension OpenHome {
    /// Refuses a `master.json` from before a rotation that the ledger knows of, finished or not.
    ///
    /// A rotation that has only begun may have died before it wrote `master.json`. Then the side files
    /// tell: no key is under a newer vault key than they are.
    ///
    /// - Throws: ``VaultError/masterOutdated(generation:known:)``, ``DatabaseError``, ``FileError``.
    package func checkGeneration(of vault: Vault) async throws {
        guard let known = try await newerGeneration(than: vault.generation) else { return }
        // It may have been rotated between the two looks.
        try vault.follow()
        let now = try vault.generation
        if known > now { throw VaultError.masterOutdated(generation: now, known: known) }
    }

    /// The generation that the ledger or, where it tells of a rotation that has not finished, a side
    /// file knows, if it is newer than `generation`; needs no key.
    ///
    /// - Throws: ``DatabaseError``, ``FileError``.
    package func newerGeneration(than generation: Int) async throws -> Int? {
        let (begun, finished) = try await recordedGenerations()
        if let finished, finished > generation { return finished }
        guard let begun, begun > generation else { return nil }
        return try layout.newestSideGeneration().flatMap { $0 > generation ? $0 : nil }
    }

    /// Refuses to begin a rotation with a `master.json` that is not the one the files were written
    /// under; only under the exclusive lock on the keys.
    ///
    /// - Throws: ``VaultError/masterOutdated(generation:known:)``,
    ///   ``VaultError/masterDoubtful(_:)`` where a rotation has begun that `master.json` knows nothing
    ///   of, and a key does not open; ``DatabaseError``, ``FileError``.
    func checkGenerationAlone(of vault: Vault, keys: [KeySlot]) async throws {
        let generation = try vault.generation
        if let newest = try layout.newestSideGeneration(), newest > generation {
            throw VaultError.masterOutdated(generation: generation, known: newest)
        }
        let (begun, finished) = try await recordedGenerations()
        if let finished, finished > generation {
            throw VaultError.masterOutdated(generation: generation, known: finished)
        }
        guard let begun, begun > generation else { return }
        for slot in keys {
            do {
                _ = try vault.key(in: slot)
            } catch VaultError.keyUnreadable(let shown) {
                throw VaultError.masterDoubtful(shown)
            } catch is VaultError {
                // Missing, or another key's: neither is the doing of an old vault key.
            } catch is FileError {
                // The rotation tells of it.
            }
        }
    }

    /// The generations of the last rotations that were begun and finished.
    private func recordedGenerations() async throws -> (begun: Int?, finished: Int?) {
        try await database.read { transaction in
            (
                try Self.last(.masterKeyRotationBegun, in: transaction),
                try Self.last(.masterKeyRotationFinished, in: transaction)
            )
        }
    }

    private static func last(_ act: Act, in transaction: borrowing Transaction) throws -> Int? {
        try Ledger.list(
            LedgerFilter(subject: masterKeySubject, act: act, limit: 1), in: transaction
        ).first?.details?["generation"].flatMap { Int($0) }
    }

    /// What entries about the vault key are about.
    static var masterKeySubject: String { "master-key" }
}
