import Files

/// What `master.json` tells without a key.
package struct MasterSummary: Sendable, Hashable {
    /// The one that new files are written under.
    package let generation: Int
    /// All whose vault keys are in it; two while a rotation is under way.
    package let generations: Set<Int>
    package let unlockers: [UnlockerKind]

    /// Reads it.
    ///
    /// - Throws: ``VaultError/masterMissing(_:)``, ``VaultError/masterDamaged(_:)``,
    ///   ``VaultError/masterNewer(_:)``, ``VaultError/masterTooCostly(_:)``, ``FileError``.
    package init(_ layout: HomeLayout) throws {
        guard
            let bytes = try InputFile.readIfPresent(layout.master, limit: MasterFile.sizeLimit)
        else { throw VaultError.masterMissing(layout.path) }
        let file = try MasterFile(decoding: bytes)
        generation = file.generation
        generations = Set(file.unlockers.flatMap { $0.wrapped.map(\.generation) })
        unlockers = file.unlockers.map(\.kind)
    }
}
