import Files

/// The file of `--out`: there whole, or not at all, and never over another.
struct OutputFile: Sendable {
    private let path: String

    /// Names the file; refused before any work if something of that name exists.
    ///
    /// - Throws: ``FileError/exists(_:)``, ``FileError/folderNotFound(_:)``.
    init(_ path: String) throws(FileError) {
        self.path = path
        if try FileStatus.ifPresent(path) != nil { throw .exists(path) }
        let folder = DurableFile.split(path).folder
        guard try FileStatus.ifPresent(folder) != nil else { throw .folderNotFound(folder) }
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
