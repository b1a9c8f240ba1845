internal import Glibc

/// What is left on the file system that a path lies on, for users other than root.
package struct FileSystemSpace: Sendable, Hashable {
    package let freeBytes: UInt64
    /// Nil where the file system makes inodes as it needs them.
    package let freeInodes: UInt64?

    package init(freeBytes: UInt64, freeInodes: UInt64?) {
        (self.freeBytes, self.freeInodes) = (freeBytes, freeInodes)
    }

    /// Asks statvfs(3).
    ///
    /// - Throws: ``FileError``.
    package init(of path: String) throws(FileError) {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { throw .current(path, doing: "looking at") }
        freeBytes = UInt64(status.f_bavail) * UInt64(status.f_frsize)
        freeInodes = status.f_files == 0 ? nil : UInt64(status.f_favail)
    }
}
