/// What `master.json` tells without a key.
package struct MasterSummary: Sendable, Hashable {
    /// The one that new files are written under.
    package let generation: Int
    /// All whose vault keys are in it; two while a rotation is under way.
    package let generations: Set<Int>

    /// Reads it.
    ///
    /// - Throws: ``VaultError``, ``FileError``.
    package init(_ layout: HomeLayout) throws {
        let file = try MasterFile.read(layout)
        generation = file.generation
        generations = Set(file.unlockers.flatMap { $0.wrapped.map(\.generation) })
    }
}
