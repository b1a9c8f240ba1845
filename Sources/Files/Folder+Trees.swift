internal import CLinux
internal import Glibc

extension Folder {
    /// Gives a file or folder another name in the same file system, which must be free, and makes
    /// both names durable.
    ///
    /// - Throws: ``FileError/exists(_:)`` and others of ``FileError``.
    package static func move(_ path: String, to other: String) throws(FileError) {
        // rename(2) would put a file over another. Nobody but the home's owner works in there, and
        // the caller holds a lock, so a look before is enough.
        if try FileStatus.ifPresent(other) != nil { throw .exists(other) }
        guard unsafe rename(path, other) == 0 else {
            throw .current(other, doing: "moving a file to")
        }
        try synchronise(DurableFile.split(other).folder)
        try synchronise(DurableFile.split(path).folder)
    }

    /// Removes an empty folder; one that is gone already is no error.
    ///
    /// - Throws: ``FileError``, also for one that is not empty.
    package static func remove(_ path: String) throws(FileError) {
        guard unsafe rmdir(path) == 0 || errno == ENOENT else {
            throw .current(path, doing: "removing")
        }
        try synchronise(DurableFile.split(path).folder)
    }

    /// Removes a folder and all that is in it, without following links.
    ///
    /// - Throws: ``FileError``; given again, it goes on where it stopped.
    package static func removeTree(_ path: String) throws(FileError) {
        guard let status = try FileStatus.ifPresent(path) else { return }
        guard status.isFolder else { return try DurableFile.remove(path) }
        for name in try names(in: path) { try removeTree("\(path)/\(name)") }
        try remove(path)
    }
}
