package import Files
import Merchants
import PKI

/// The files of a backup, unpacked into a folder and not yet believed.
package struct BackupExtraction: Sendable {
    /// All files but the manifest, in the archive's order, as they were read.
    package let files: [BackupManifest.File]
    /// The manifest's bytes.
    package let manifest: [UInt8]

    /// Unpacks an archive into `stage`, an empty folder laid out as a home.
    ///
    /// Only names that a home has are taken, each once and of a size that such a file can have;
    /// they are made by us from their parts, so that no path leads elsewhere.
    ///
    /// - Throws: ``VaultError/backupDamaged(_:)``, ``FileError``.
    package init(unpacking source: SequentialFile, into stage: HomeLayout) throws {
        let tar = TarReader { try source.read($0) }
        var seen: Set<BackupMember> = []
        var files: [BackupManifest.File] = []
        while let (member, entry) = try Self.next(tar) {
            guard seen.insert(member).inserted else {
                throw VaultError.backupDamaged("\(member.path.suffix(40)) stands in it twice")
            }
            if member == .manifest {
                manifest = try Self.contents(in: tar)
                self.files = files
                return
            }
            try Folder.makeAll(member.folders, below: stage.path)
            let path = "\(stage.path)/\(member.path)"
            let digest = SHA256Stream()
            if member == .database {
                let file = try NewFile(path)
                try Self.forEachPiece(of: tar) {
                    digest.update($0)
                    try file.append($0)
                }
                try file.finish()
            } else {
                let bytes = try Self.contents(in: tar)
                digest.update(bytes)
                try DurableFile.write(bytes, to: path, replacing: false)
            }
            files.append(
                BackupManifest.File(
                    path: member.path, size: entry.size,
                    sha256: Hexadecimal.lowercase(digest.digest())))
        }
        throw VaultError.backupDamaged("it has no manifest")
    }

    /// The manifest's bytes alone; nothing is unpacked.
    ///
    /// - Throws: ``VaultError/backupDamaged(_:)``, ``FileError``.
    package static func manifest(of source: SequentialFile) throws -> [UInt8] {
        let tar = TarReader { try source.read($0) }
        while let (member, _) = try next(tar) {
            if member == .manifest { return try contents(in: tar) }
        }
        throw VaultError.backupDamaged("it has no manifest")
    }

    private static func next(_ tar: TarReader) throws -> (BackupMember, TarReader.Entry)? {
        guard let entry = try tar.next() else { return nil }
        guard let member = BackupMember(entry.path) else {
            throw VaultError.backupDamaged("it holds a file that no home has")
        }
        guard entry.size <= member.sizeLimit else {
            throw VaultError.backupDamaged("\(member.path.suffix(40)) is too large")
        }
        return (member, entry)
    }

    private static func contents(
        in tar: TarReader
    ) throws -> [UInt8] {
        var bytes: [UInt8] = []
        // Grown as bytes come: what an archive says of its size is not yet to be believed.
        try forEachPiece(of: tar) { bytes += $0 }
        return bytes
    }

    private static func forEachPiece(
        of tar: TarReader, _ body: ([UInt8]) throws -> Void
    ) throws {
        while true {
            let bytes = try tar.read(1 << 16)
            if bytes.isEmpty { return }
            try body(bytes)
        }
    }
}
