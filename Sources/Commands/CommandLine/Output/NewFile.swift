import Glibc
import Secrets

/// A file made for `--out`: never one that exists already, and gone again unless it was finished.
///
/// It is made where it will stay, with O_EXCL, so that two commands cannot write over each other.
final class NewFile {
    let path: String
    private let descriptor: Int32
    private var isFinished = false

    /// Makes an empty file that only its owner may read or write.
    ///
    /// - Throws: ``CommandLineError/outputExists(_:)``,
    ///   ``CommandLineError/outputNotWritten(_:reason:)``.
    init(_ path: String) throws(CommandLineError) {
        let opened = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        let failure = errno
        self.path = path
        descriptor = opened
        guard opened >= 0 else {
            // From here on deinit runs; it must not remove what was there before.
            isFinished = true
            if failure == EEXIST { throw .outputExists(path) }
            throw .outputNotWritten(quoted(path), reason: systemMessage(failure))
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        if !isFinished { unlink(path) }
    }

    /// Writes everything and makes it durable; the file stays from then on.
    ///
    /// - Throws: ``CommandLineError/outputNotWritten(_:reason:)``; the file is removed then.
    func finish(_ bytes: [UInt8]) throws(CommandLineError) {
        // Array.withUnsafeBytes does not carry the error's type.
        let outcome = bytes.withUnsafeBytes { buffer in
            Result { () throws(CommandLineError) in try finish(copying: buffer) }
        }
        try outcome.get()
    }

    /// The same for bytes that must not be copied about, such as an exported key.
    ///
    /// - Throws: ``CommandLineError/outputNotWritten(_:reason:)``; the file is removed then.
    func finish(_ secret: SecretBytes) throws(CommandLineError) {
        try secret.withUnsafeBytes { buffer throws(CommandLineError) in
            try finish(copying: buffer)
        }
    }

    private func finish(copying bytes: UnsafeRawBufferPointer) throws(CommandLineError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest)
            let count = write(descriptor, part.baseAddress, part.count)
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw .outputNotWritten(quoted(path), reason: systemMessage(errno))
            }
        }
        guard fsync(descriptor) == 0 else {
            throw .outputNotWritten(quoted(path), reason: systemMessage(errno))
        }
        isFinished = true
    }
}
