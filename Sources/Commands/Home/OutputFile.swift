import Files
import Vault

/// The file of `--out`: there whole, or not at all, and never over another.
struct OutputFile: Sendable {
    private let path: String

    /// Names the file; refused before any work if something of that name exists, or it would lie in
    /// the home, where it would be taken for one of its own.
    ///
    /// - Throws: `inside` for a place in the home; ``FileError/exists(_:)``,
    ///   ``FileError/folderNotFound(_:)``.
    init(
        _ path: String, outside layout: HomeLayout, inside: VaultError = .outputInHome
    ) throws {
        self.path = path
        let home = Folder.truePath(layout.path)
        if Folder.truePath(path).hasPrefix("\(home)/") { throw inside }
        if try FileStatus.ifPresent(path) != nil { throw FileError.exists(path) }
        let folder = DurableFile.split(path).folder
        guard try FileStatus.ifPresent(folder) != nil else {
            throw FileError.folderNotFound(folder)
        }
    }

    /// Writes the file, mode 0600, as the user who asked: root again if root had stepped down.
    ///
    /// - Throws: ``FileError``; nothing is left behind.
    func write(_ bytes: [UInt8]) throws(FileError) {
        try Privileges.asRoot { () throws(FileError) in
            try DurableFile.write(bytes, to: path, replacing: false)
        }
    }
}
