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

    /// Waits for the lock, but not for ever; the file is made (0600) when it is absent.
    ///
    /// A holder that was stopped, or hangs on a dead disk, must not make everybody else hang with it,
    /// least of all a service whose start no signal ends any more.
    ///
    /// - Throws: ``FileError``; ``FileError/locked(_:)`` when it is still held after `patience`.
    package static func take(
        _ path: String, _ mode: Mode, within patience: Duration = .seconds(30)
    ) throws(FileError) -> FileLock {
        let deadline = ContinuousClock.now + patience
        var pause: Int32 = 1
        while true {
            if let lock = try tryTake(path, mode) { return lock }
            guard ContinuousClock.now < deadline else { throw .locked(path) }
            _ = poll(nil, 0, pause)
            pause = min(pause * 2, 20)
        }
    }

    /// Takes the lock, waiting for it no longer than `patience`, without a thread of its own.
    ///
    /// flock(2) has no wait with an end, so it is asked every 50 ms.
    ///
    /// - Returns: nil where somebody else still holds it then.
    /// - Throws: ``FileError``; `CancellationError`.
    package static func wait(
        for path: String, _ mode: Mode, within patience: Duration
    ) async throws -> FileLock? {
        let deadline = ContinuousClock.now + patience
        while true {
            if let lock = try tryTake(path, mode) { return lock }
            guard ContinuousClock.now < deadline else { return nil }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Takes the lock if nobody holds it; nil at once if somebody does.
    ///
    /// - Throws: ``FileError``.
    package static func tryTake(_ path: String, _ mode: Mode) throws(FileError) -> FileLock? {
        let descriptor = try openLock(path)
        while flock(descriptor, (mode == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
            let number = errno
            if number == EINTR { continue }
            close(descriptor)
            guard number == EWOULDBLOCK else {
                throw .failed(path, doing: "locking", errno: number)
            }
            return nil
        }
        return FileLock(takingOwnershipOf: descriptor)
    }

    /// Marks the lock's file with this moment, so that those who wait see that its holder gets on.
    package static func showProgress(_ path: String) {
        _ = unsafe utimensat(AT_FDCWD, path, nil, AT_SYMLINK_NOFOLLOW)
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
