import Glibc
package import Secrets

/// A key or password read from a file, with the facts by which its owner and mode are judged.
///
/// The bytes go from the kernel into wiped memory without a copy on the way. Whether the mode will
/// do is the caller's to say: a systemd credential is exempt. The facts are of the very file that
/// was read, not of a path that may point elsewhere by now.
package struct SecretFile: Sendable {
    /// Where it was read from.
    package let path: String
    /// All of it, a trailing line end included.
    package let bytes: SecretBytes
    /// The permission bits: 0o600.
    package let mode: UInt32
    /// The owner's user id.
    package let owner: UInt32
    /// Not a pipe, device or folder.
    package let isRegular: Bool

    /// Reads at most `limit` bytes, on a thread of its own.
    ///
    /// - Throws: ``CommandLineError/inputMissing(_:)``, ``CommandLineError/inputDenied(_:)``,
    ///   ``CommandLineError/inputUnreadable(_:reason:)``,
    ///   ``CommandLineError/inputTooLarge(_:limit:)``.
    package static func read(_ path: String, limit: Int = 65_536) async throws -> SecretFile {
        try await onOwnThread { try SecretFile(reading: path, limit: limit) }
    }

    private init(reading path: String, limit: Int) throws(CommandLineError) {
        let descriptor = try ArgumentFile.openForReading(path)
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else {
            throw .inputUnreadable(path, reason: systemMessage(errno))
        }
        var count = 0
        // One byte more than allowed, to see that there is more.
        let buffer = try SecretBytes(count: limit + 1) { buffer throws(CommandLineError) in
            count = try fill(buffer, from: descriptor, named: path)
        }
        guard count <= limit else { throw .inputTooLarge(path, limit: limit) }
        self.path = path
        bytes = buffer.slice(0..<count)
        mode = facts.st_mode & 0o7777
        owner = facts.st_uid
        isRegular = facts.st_mode & S_IFMT == S_IFREG
    }
}

extension SecretBytes {
    /// The bytes without one line end (LF or CR LF) at their end, as password files are read.
    package func withoutTrailingLineEnd() -> SecretBytes {
        let kept = withUnsafeBytes { bytes in
            guard bytes.last == UInt8(ascii: "\n") else { return bytes.count }
            return bytes.dropLast().last == UInt8(ascii: "\r") ? bytes.count - 2 : bytes.count - 1
        }
        return kept == count ? self : slice(0..<kept)
    }
}

/// Reads until the buffer is full or the file ends, and gives the number of bytes.
private func fill(
    _ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32, named name: String
) throws(CommandLineError) -> Int {
    var count = 0
    while count < buffer.count {
        let got = read(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
        if got > 0 {
            count += got
        } else if got == 0 {
            break
        } else if errno != EINTR {
            throw .inputUnreadable(name, reason: systemMessage(errno))
        }
    }
    return count
}
