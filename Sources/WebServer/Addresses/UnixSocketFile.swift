internal import CLinux
internal import Glibc

/// The file of a Unix socket: made with mode 0600, replaced when nobody listens, removed when ours.
enum UnixSocketFile {
    /// Which file it is, whatever is later put under the same path.
    struct Identity: Sendable, Equatable {
        let device: UInt64
        let inode: UInt64
    }

    /// Listens at `path`; a socket there is replaced if connecting to it is refused.
    ///
    /// The folder is locked meanwhile (flock(2)), so that of two processes that start together one
    /// finds the other listening and neither removes the other's socket. Whoever may read the folder
    /// can hold that lock, so it is waited for ``patience`` and no longer.
    ///
    /// - Throws: ``WebServerError``.
    static func listen(
        at path: String, backlog: Int32
    ) throws(WebServerError) -> (descriptor: Int32, file: Identity) {
        let address = ListenAddress.unix(path: path)
        let folder = unsafe open(folderPath(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw WebServerError(errno: errno, listeningOn: address) }
        defer { _ = close(folder) }
        try lock(folder, of: path)
        try removeStale(path)

        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw WebServerError(errno: errno, listeningOn: address) }
        // Nobody can connect between bind and listen, so the mode is right before it matters; the
        // umask, which belongs to all threads, is left alone.
        guard bind(descriptor, to: path) == 0, unsafe chmod(path, 0o600) == 0,
            Glibc.listen(descriptor, backlog) == 0, let file = identity(of: path)
        else {
            let failure = errno
            _ = close(descriptor)
            throw WebServerError(errno: failure, listeningOn: address)
        }
        return (descriptor, file)
    }

    /// How long another start may hold the folder; it needs far less than a millisecond.
    private static let patience: Duration = .seconds(2)

    /// Never by a blocking flock(2): a start that waits for ever could not even be ended by a signal,
    /// because `serve` has taken over SIGINT and SIGTERM by then.
    private static func lock(_ folder: Int32, of path: String) throws(WebServerError) {
        let deadline = ContinuousClock.now + patience
        while flock(folder, LOCK_EX | LOCK_NB) != 0 {
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK:
                guard ContinuousClock.now < deadline else {
                    throw .folderLocked(folderPath(of: path))
                }
                _ = poll(nil, 0, 10)
            // ENOLCK and EOPNOTSUPP: a file system without locks must not keep a service from starting.
            default: return
            }
        }
    }

    /// Removes the file at `path` if it is still `file`.
    static func remove(_ path: String, if file: Identity) {
        if identity(of: path) == file { _ = unsafe unlink(path) }
    }

    private static func removeStale(_ path: String) throws(WebServerError) {
        var found = stat()
        guard unsafe lstat(path, &found) == 0 else { return }
        guard found.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path) }
        let probe = socket(
            AF_UNIX,
            Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        defer { _ = close(probe) }
        let status = connect(probe, to: path)
        // EAGAIN is a listener whose queue is full: somebody is there.
        guard status != 0, errno == ECONNREFUSED else {
            throw .addressInUse("\(ListenAddress.unix(path: path))")
        }
        _ = unsafe unlink(path)
    }

    private static func identity(of path: String) -> Identity? {
        var found = stat()
        guard unsafe lstat(path, &found) == 0, found.st_mode & S_IFMT == S_IFSOCK else {
            return nil
        }
        return Identity(device: UInt64(found.st_dev), inode: UInt64(found.st_ino))
    }

    private static func folderPath(of path: String) -> String {
        let folder = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        return folder.isEmpty ? "/" : String(folder)
    }

    private static func bind(_ descriptor: Int32, to path: String) -> Int32 {
        var path = path
        return path.withUTF8 { bytes in
            guard let start = bytes.baseAddress else { return -1 }
            return unsafe purser_unix_bind(descriptor, start, bytes.count)
        }
    }

    private static func connect(_ descriptor: Int32, to path: String) -> Int32 {
        var path = path
        return path.withUTF8 { bytes in
            guard let start = bytes.baseAddress else { return -1 }
            return unsafe purser_unix_connect(descriptor, start, bytes.count)
        }
    }
}
