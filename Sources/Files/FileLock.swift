internal import CLinux
internal import Glibc

/// A lock between processes on a file (flock(2)): the kernel lets go of it when its holder dies,
/// so none goes stale.
package final class FileLock: Sendable {
    private let descriptor: Int32

    package enum Mode: Sendable {
        /// Together with other sharers.
        case shared
        /// Alone.
        case exclusive
    }

    /// Waits for the lock; the file is made (0600) when it is absent.
    ///
    /// - Throws: ``FileError``.
    package static func take(_ path: String, _ mode: Mode) throws(FileError) -> FileLock {
        let descriptor = try openLock(path)
        while flock(descriptor, mode == .shared ? LOCK_SH : LOCK_EX) != 0 {
            guard errno == EINTR else {
                close(descriptor)
                throw .current(path, doing: "locking")
            }
        }
        return FileLock(takingOwnershipOf: descriptor)
    }

    /// Takes the lock if nobody holds it; nil at once if somebody does.
    ///
    /// - Throws: ``FileError``.
    package static func tryTake(_ path: String, _ mode: Mode) throws(FileError) -> FileLock? {
        let descriptor = try openLock(path)
        guard flock(descriptor, (mode == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 else {
            let number = errno
            close(descriptor)
            guard number == EWOULDBLOCK else {
                throw .failed(path, doing: "locking", errno: number)
            }
            return nil
        }
        return FileLock(takingOwnershipOf: descriptor)
    }

    private init(takingOwnershipOf descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    private static func openLock(_ path: String) throws(FileError) -> Int32 {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .current(path, doing: "opening") }
        // Whatever the umask: the next to come must be able to open it.
        var status = stat()
        if unsafe fstat(descriptor, &status) == 0, status.st_mode & 0o777 != 0o600 {
            _ = fchmod(descriptor, 0o600)
        }
        return descriptor
    }
}
