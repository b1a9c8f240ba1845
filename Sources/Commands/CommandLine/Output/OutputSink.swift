import Glibc
import Locks

/// Where a command's bytes go.
package protocol OutputSink: Sendable {
    /// Writes all of `bytes`, or nothing at all once the reader has gone.
    ///
    /// A reader that goes away is no failure: an act must not be broken off because nobody reads
    /// its report any more.
    ///
    /// - Throws: an error when the bytes cannot be kept: a full disk, a broken device.
    func write(_ bytes: [UInt8]) throws

    /// Whether the reader has gone, so that a long listing can end early.
    var isClosed: Bool { get }

    /// Refuses a sink that is known to keep nothing, before something is made that is shown once.
    ///
    /// - Throws: an error when it is closed, nobody reads it, or it is the null device.
    func checkReader() throws
}

/// A standard stream, written without a buffer of ours: what is written is out.
package final class DescriptorSink: OutputSink {
    private let descriptor: Int32
    private let closed = Locked(false)

    /// Writes to `descriptor`, which stays the caller's.
    package init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Whether a write has met EPIPE or EBADF.
    package var isClosed: Bool { closed.withLock { $0 } }

    /// Writes to the stream; waits where it is not blocking and full.
    ///
    /// - Throws: ``CommandLineError/outputNotWritten(_:reason:)``.
    package func write(_ bytes: [UInt8]) throws {
        var written = 0
        while written < bytes.count, !isClosed {
            let count = bytes[written...].withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count >= 0 {
                written += count
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN: waitUntilWritable()
            case EPIPE, EBADF: closed.withLock { $0 = true }
            case let number: throw failure(systemMessage(number))
            }
        }
    }

    /// Looks at the descriptor; what a full disk does is seen only when it is written.
    ///
    /// - Throws: ``CommandLineError/outputNotWritten(_:reason:)``.
    package func checkReader() throws {
        let flags = fcntl(descriptor, F_GETFL)
        // Of one that was closed, /dev/null opened for reading keeps the place.
        guard flags >= 0, flags & O_ACCMODE != O_RDONLY else { throw failure("it is closed") }
        var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        let gone = Int16(POLLERR | POLLHUP | POLLNVAL)
        guard !isClosed, poll(&wanted, 1, 0) >= 0, wanted.revents & gone == 0 else {
            throw failure("nobody reads it")
        }
        var status = stat()
        var null = stat()
        if fstat(descriptor, &status) == 0, stat("/dev/null", &null) == 0,
            status.st_mode & S_IFMT == S_IFCHR, status.st_rdev == null.st_rdev
        {
            throw failure("it is /dev/null")
        }
    }

    private func failure(_ reason: String) -> CommandLineError {
        .outputNotWritten(
            descriptor == STDERR_FILENO ? "standard error" : "standard output", reason: reason)
    }

    private func waitUntilWritable() {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&wanted, 1, -1)
    }
}

/// The system's words for an error number: `No space left on device`.
func systemMessage(_ number: Int32) -> String {
    // Since glibc 2.32 the text is constant or the thread's own, so any thread may ask.
    strerror(number).map { String(cString: $0) } ?? "error \(number)"
}
