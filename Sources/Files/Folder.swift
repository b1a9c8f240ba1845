internal import CLinux
internal import Glibc

/// Folders of mode 0700.
package enum Folder {
    /// Makes a folder of mode 0700 whatever the umask; its parent must exist.
    ///
    /// - Throws: ``FileError/exists(_:)`` and others of ``FileError``.
    package static func make(_ path: String) throws(FileError) {
        guard unsafe mkdir(path, 0o700) == 0 else {
            if errno == ENOENT { throw .folderNotFound(DurableFile.split(path).folder) }
            throw .current(path, doing: "making")
        }
        guard unsafe chmod(path, 0o700) == 0 else { throw .current(path, doing: "protecting") }
        try synchronise(DurableFile.split(path).folder)
    }

    /// Makes what is missing of `path` below `root`, each part with mode 0700.
    ///
    /// - Throws: ``FileError``.
    package static func makeAll(_ parts: [String], below root: String) throws(FileError) {
        var path = root
        for part in parts {
            path += "/\(part)"
            do {
                try make(path)
            } catch .exists {
                // Whoever made it may have died before its name was durable.
                try synchronise(DurableFile.split(path).folder)
            }
        }
    }

    /// `path` without links, dots and doubled slashes, as far as this process may look (realpath(3)).
    ///
    /// What does not exist yet is named in its folder's true place.
    package static func truePath(_ path: String) -> String {
        if let whole = resolved(path) { return whole }
        let (folder, name) = DurableFile.split(path)
        return resolved(folder).map { $0 == "/" ? "/\(name)" : "\($0)/\(name)" } ?? path
    }

    private static func resolved(_ path: String) -> String? {
        guard let found = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(found) }
        return unsafe String(cString: found)
    }

    /// The names in a folder, sorted; an absent folder has none.
    ///
    /// - Throws: ``FileError``.
    package static func names(in path: String) throws(FileError) -> [String] {
        guard let folder = unsafe opendir(path) else {
            if errno == ENOENT { return [] }
            throw .current(path, doing: "reading")
        }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Whether `path` leads to a folder, as far as this process may look.
    package static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Checks that `path` is a folder of the effective user, closed to everybody else.
    ///
    /// - Throws: ``FileError``.
    package static func checkPrivate(_ path: String) throws(FileError) {
        try FileStatus(path).checkPrivateFolder()
    }

    /// Makes the folder's entries durable (fsync(2) of the folder).
    static func synchronise(_ path: String) throws(FileError) {
        let folder = try OpenFile(path, O_RDONLY | O_DIRECTORY)
        guard fsync(folder.descriptor) == 0 else {
            throw .current(path, doing: "writing")
        }
    }
}

/// What the system knows of a path, without following a link at its end.
package struct FileStatus: Sendable, Hashable {
    package let path: String
    package let owner: UInt32
    package let group: UInt32
    package let isFolder: Bool
    package let isFile: Bool
    /// In bytes.
    package let size: Int64
    /// With the bits that tell a file from a folder.
    private let mode: UInt32
    private let inode: UInt64
    private let device: UInt64
    private let modified: Int64
    private let modifiedNanoseconds: Int64
    /// When the file or what is known of it was last changed; unlike the other it cannot be set back.
    private let changed: Int64
    private let changedNanoseconds: Int64

    /// Looks at `path`.
    ///
    /// - Throws: ``FileError/notFound(_:)`` and others of ``FileError``.
    package init(_ path: String) throws(FileError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw .current(path, doing: "looking at") }
        self.path = path
        owner = status.st_uid
        group = status.st_gid
        isFolder = status.st_mode & S_IFMT == S_IFDIR
        isFile = status.st_mode & S_IFMT == S_IFREG
        mode = status.st_mode
        inode = UInt64(status.st_ino)
        device = UInt64(status.st_dev)
        size = Int64(status.st_size)
        modified = Int64(status.st_mtim.tv_sec)
        modifiedNanoseconds = Int64(status.st_mtim.tv_nsec)
        changed = Int64(status.st_ctim.tv_sec)
        changedNanoseconds = Int64(status.st_ctim.tv_nsec)
    }

    /// Whether `other` is the same file, whatever has been written to it.
    package func isSameFile(as other: FileStatus) -> Bool {
        inode == other.inode && device == other.device
    }

    /// Looks at `path`; nil when there is nothing.
    ///
    /// - Throws: ``FileError`` but for ``FileError/notFound(_:)``.
    package static func ifPresent(_ path: String) throws(FileError) -> FileStatus? {
        let outcome = Result { () throws(FileError) in try FileStatus(path) }
        if case .failure(.notFound) = outcome { return nil }
        return try outcome.get()
    }

    /// Refuses what is no ordinary file of the effective user's, or lets others in.
    ///
    /// Root's file of mode 0600 is of no use to a home of another user.
    ///
    /// - Throws: as ``checkPrivateFile()``.
    package func checkOurFile() throws(FileError) {
        try checkOurs(.file)
    }

    /// As ``checkOurFile()``, for a folder.
    ///
    /// - Throws: as ``checkPrivateFolder()``.
    package func checkOurFolder() throws(FileError) {
        try checkOurs(.folder)
    }

    private func checkOurs(_ kind: FileKind) throws(FileError) {
        let user = User.effective
        if kind == .file ? isFile : isFolder, owner != user.id {
            throw .foreignOwner(path, owner: User(id: owner).name, expected: user.name)
        }
        try checkPrivate(kind)
    }

    /// Refuses what is no ordinary file, does not belong to the effective user or root, or lets
    /// others in.
    ///
    /// - Throws: ``FileError/notAFile(_:)``, ``FileError/foreignOwner(_:owner:expected:)``,
    ///   ``FileError/exposed(_:mode:)``.
    package func checkPrivateFile() throws(FileError) {
        try checkPrivate(.file)
    }

    /// As ``checkPrivateFile()``, for a folder.
    ///
    /// - Throws: ``FileError/notAFolder(_:)``, ``FileError/foreignOwner(_:owner:expected:)``,
    ///   ``FileError/exposed(_:mode:)``.
    package func checkPrivateFolder() throws(FileError) {
        try checkPrivate(.folder)
    }

    private func checkPrivate(_ kind: FileKind) throws(FileError) {
        var status = stat()
        status.st_uid = owner
        status.st_mode = mode
        try check(status, path: path, [kind])
    }
}
