package import Clocks
import Files
import Merchants
import PKI

/// Puts the files of a home into a backup: an archive with a manifest as its last file.
package final class BackupWriter {
    private let vault: Vault
    private let createdAt: Timestamp
    private let tar: TarWriter
    private let digest: SHA256Stream
    private var files: [BackupManifest.File] = []
    private var faulty: [String] = []
    /// Key files put in so far.
    package private(set) var keys = 0

    /// `sink` takes the archive's bytes in order.
    package init(
        _ vault: Vault, at now: Timestamp, sink: @escaping ([UInt8]) throws -> Void
    ) {
        let digest = SHA256Stream()
        self.vault = vault
        createdAt = now
        self.digest = digest
        tar = TarWriter(time: now.seconds) { bytes in
            digest.update(bytes)
            try sink(bytes)
        }
    }

    /// Puts in a file that is held in memory.
    ///
    /// - Throws: what the sink throws.
    package func add(_ member: BackupMember, _ bytes: [UInt8]) throws {
        try tar.begin(member.path, size: bytes.count)
        try tar.write(bytes)
        files.append(
            BackupManifest.File(
                path: member.path, size: bytes.count,
                sha256: Hexadecimal.lowercase(SHA256.hash(bytes))))
    }

    /// Puts in a file that nobody writes meanwhile, piece by piece.
    ///
    /// - Throws: ``FileError``, ``FileError/failed(_:doing:errno:)`` for one that is shorter than it
    ///   was, what the sink throws.
    package func add(_ member: BackupMember, from path: String) throws {
        let size = Int(try FileStatus(path).size)
        let file = try SequentialFile(path, pipe: .none)
        let own = SHA256Stream()
        try tar.begin(member.path, size: size)
        var left = size
        while left > 0 {
            let bytes = try file.read(min(left, 1 << 18))
            guard !bytes.isEmpty else { throw VaultError.changedMeanwhile(path) }
            own.update(bytes)
            try tar.write(bytes)
            left -= bytes.count
        }
        files.append(
            BackupManifest.File(
                path: member.path, size: size, sha256: Hexadecimal.lowercase(own.digest())))
    }

    /// Puts in a key as it lies in the home; one that is missing or does not open is noted.
    ///
    /// - Throws: what the sink throws.
    package func addKey(in slot: KeySlot) throws {
        let member = BackupMember.bundle(slot)
        if (try? vault.key(in: slot)) == nil { faulty.append(member.path) }
        if try addAsItLies(member) { keys += 1 }
    }

    /// Puts in a file of the home byte for byte; false where there is none that could be in a backup.
    ///
    /// Whatever its mode: it is ours, and one that others could read is still the only one.
    ///
    /// - Throws: what the sink throws.
    package func addAsItLies(_ member: BackupMember) throws -> Bool {
        let path = "\(vault.layout.path)/\(member.path)"
        guard let bytes = try? InputFile.readIfPresent(path, limit: member.sizeLimit)
        else { return false }
        try add(member, bytes)
        return true
    }

    /// Puts in the side file that a key should have.
    ///
    /// - Throws: what the sink throws.
    package func add(_ side: SideFile, in slot: KeySlot) throws {
        try add(.side(slot), vault.currentKey().sideFile(side))
    }

    /// Puts in the manifest and ends the archive.
    ///
    /// - Returns: the archive's SHA-256, and the keys that were missing or did not open.
    /// - Throws: what the sink throws.
    package func finish(
        ledger: BackupManifest.End, damage: String?
    ) throws -> (sha256: [UInt8], faulty: [String]) {
        let manifest = BackupManifest(
            createdAt: createdAt, ledger: ledger, files: files, faulty: faulty,
            damage: damage)
        try add(.manifest, vault.encoded(manifest))
        try tar.finish()
        return (digest.digest(), faulty)
    }
}

@available(*, unavailable)
extension BackupWriter: Sendable {}
