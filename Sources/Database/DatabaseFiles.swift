internal import Glibc

/// The files that a database is made of, seen from outside SQLite.
///
/// The database's own file is never opened here once it exists under its name: closing any
/// descriptor of it would drop the locks that SQLite holds for this process
/// (sqlite.org/howtocorrupt.html, section 2.2).
enum DatabaseFiles {
    /// Makes an empty file of mode 0600 at `path`, whatever the umask, unless there is one.
    ///
    /// SQLite gives the same mode to the files it puts beside it. The file gets its name only when
    /// it is complete and closed.
    static func make(at path: String) throws(DatabaseError) {
        let unnamed = "\(path).new-\(UInt64.random(in: .min ... .max))"
        let descriptor = unsafe open(unnamed, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw refusal(errno, path: path) }
        defer { unsafe _ = unlink(unnamed) }
        let failure =
            fchmod(descriptor, 0o600) == 0 && fsync(descriptor) == 0 ? 0 : errno
        close(descriptor)
        guard failure == 0 else { throw refusal(failure, path: path) }
        if unsafe link(unnamed, path) != 0, errno != EEXIST { throw refusal(errno, path: path) }
        try makeNamesDurable(beside: path)
    }

    /// fsync of the folder, so that the new name survives a crash.
    private static func makeNamesDurable(beside path: String) throws(DatabaseError) {
        let descriptor = unsafe open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw refusal(errno, path: path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw refusal(errno, path: path) }
    }

    /// Whether there is anything at `path`.
    static func exists(_ path: String) throws(DatabaseError) -> Bool {
        try status(path) != nil
    }

    /// Refuses what is no file, also under the names that SQLite opens beside it, and a file that
    /// others have access to.
    static func check(_ path: String) throws(DatabaseError) {
        guard let status = try status(path) else { throw .missing(path: path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .cannotOpen(path: path, reason: "it is not a file")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw .loosePermissions(path: path, mode: status.st_mode & 0o7777)
        }
        // Opening a pipe would wait without end.
        for name in ["\(path)-journal", "\(path)-wal", "\(path)-shm"] {
            var beside = stat()
            guard unsafe lstat(name, &beside) == 0 else { continue }
            guard beside.st_mode & S_IFMT == S_IFREG else {
                throw .cannotOpen(path: name, reason: "it is not a file")
            }
        }
    }

    /// Why the file, or those that SQLite puts beside it, cannot be written; nil when they can.
    static func whyNotWritable(_ path: String) -> DatabaseError? {
        for place in [path, folder(of: path)]
        where unsafe faccessat(AT_FDCWD, place, W_OK, AT_EACCESS) != 0 {
            return refusal(errno, path: path)
        }
        return nil
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    }

    /// Whether the write-ahead log holds anything that the database's own file may lack.
    static func hasLog(_ path: String) throws(DatabaseError) -> Bool {
        (try status(path + "-wal")?.st_size ?? 0) > 0
    }

    /// Tells one content of the file from another, as far as the file system does.
    struct Version: Equatable {
        let device: UInt
        let inode: UInt
        let size: Int
        let seconds: Int
        let nanoseconds: Int
    }

    static func version(_ path: String) throws(DatabaseError) -> Version {
        guard let status = try status(path) else { throw .missing(path: path) }
        return Version(
            device: status.st_dev, inode: status.st_ino, size: status.st_size,
            seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
    }

    private static func status(_ path: String) throws(DatabaseError) -> stat? {
        var found = stat()
        if unsafe stat(path, &found) == 0 { return found }
        if errno == ENOENT { return nil }
        throw refusal(errno, path: path)
    }

    private static func refusal(_ number: Int32, path: String) -> DatabaseError {
        switch number {
        case ENOSPC, EDQUOT: .diskFull(path: path)
        case EROFS: .readOnly(path: path)
        case EACCES, EPERM: .notAllowed(path: path)
        default: .cannotOpen(path: path, reason: errorText(number))
        }
    }
}
