internal import CLinux
internal import Glibc
package import Secrets

/// Files that are read whole, with a limit, so that nobody can make us read or wait without end.
///
/// Only ordinary files, unless the caller takes pipes; never a device or a folder. Opening does not
/// block, whatever the path turns out to be.
package enum InputFile {
    /// Reads an ordinary file of at most `limit` bytes.
    ///
    /// `pipe` is for paths that a person names: `<(…)` and `/dev/stdin` are how a secret gets here
    /// without ever lying on a disk.
    ///
    /// - Throws: ``FileError``; a longer file is refused without reading on.
    package static func read(
        _ path: String, limit: Int, pipe: PipePatience = .none
    ) throws(FileError) -> [UInt8] {
        let file = try OpenFile(path, O_RDONLY | O_NONBLOCK)
        return try file.readAll(limit: limit, pipe: pipe)
    }

    /// Reads a file that holds a secret, such as a key file, into memory that is wiped.
    ///
    /// It must belong to the effective user, to root or to `alsoOwnedBy`, and be closed to
    /// everybody else. `exempt` is for systemd credentials, whose folder is the guard.
    ///
    /// - Throws: ``FileError``, also for a folder, a device or a mode that lets others in.
    package static func readSecret(
        _ path: String, limit: Int, exempt: Bool = false, alsoOwnedBy other: UInt32? = nil,
        pipe: PipePatience = .none
    ) throws(FileError) -> SecretBytes {
        let file = try OpenFile(path, O_RDONLY | O_NONBLOCK)
        if !exempt {
            try file.checkPrivate(pipe == .none ? [.file] : [.file, .pipe], alsoOwnedBy: other)
        }
        var bytes = try file.readAll(limit: limit, pipe: pipe)
        return SecretBytes(wiping: &bytes)
    }
}

// MARK: - Files that may be absent

extension InputFile {
    /// Reads as ``read(_:limit:)``; nil when there is no such file.
    ///
    /// - Throws: ``FileError`` but for ``FileError/notFound(_:)``.
    package static func readIfPresent(_ path: String, limit: Int) throws(FileError) -> [UInt8]? {
        try presence { () throws(FileError) in try read(path, limit: limit) }
    }

    /// Reads as ``readSecret(_:limit:exempt:)``; nil when there is no such file.
    ///
    /// - Throws: ``FileError`` but for ``FileError/notFound(_:)``.
    package static func readSecretIfPresent(
        _ path: String, limit: Int
    ) throws(FileError) -> SecretBytes? {
        try presence { () throws(FileError) in try readSecret(path, limit: limit) }
    }

    private static func presence<Contents>(
        _ read: () throws(FileError) -> Contents
    ) throws(FileError) -> Contents? {
        let outcome = Result(catching: read)
        if case .failure(.notFound) = outcome { return nil }
        return try outcome.get()
    }
}

/// An open descriptor that closes itself.
struct OpenFile: ~Copyable {
    let descriptor: Int32
    /// What errors call it.
    let path: String

    /// Opens `path`; errors call it `name` where that is what the user knows.
    init(
        _ path: String, _ flags: Int32, mode: UInt32 = 0, as name: String? = nil
    ) throws(FileError) {
        let descriptor = unsafe open(path, flags | O_CLOEXEC | O_NOCTTY, mode)
        guard descriptor >= 0 else { throw .current(name ?? path, doing: "opening") }
        self.descriptor = descriptor
        self.path = name ?? path
    }

    deinit {
        close(descriptor)
    }

    func status() throws(FileError) -> stat {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw .current(path, doing: "looking at")
        }
        return status
    }

    func checkPrivate(
        _ kinds: [FileKind], alsoOwnedBy other: UInt32?
    ) throws(FileError) {
        let status = try status()
        try check(status, path: path, kinds, alsoOwnedBy: other)
    }

    /// Reads to the end; the descriptor was opened with O_NONBLOCK.
    func readAll(limit: Int, pipe: PipePatience) throws(FileError) -> [UInt8] {
        let status = try status()
        var wait: PipeWait?
        switch status.st_mode & S_IFMT {
        case S_IFREG:
            guard status.st_size <= limit else { throw .tooLarge(path, limit: limit) }
        case S_IFIFO:
            guard pipe != .none else { throw .notAFile(path) }
            wait = PipeWait(for: descriptor, path: path, pipe)
        default: throw .notAFile(path)
        }
        // Room for the whole file at once: growing would leave copies of a secret behind.
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        defer { wipe(&bytes) }
        var filled = 0
        while filled < bytes.count {
            let count = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(
                    descriptor, buffer.baseAddress.map { unsafe $0 + filled }, buffer.count - filled
                )
            }
            if count > 0 {
                filled += count
            } else if count == 0 {
                // A pipe that nobody has opened for writing yet looks like one at its end.
                guard let wait, try wait.forFirstWriter() else { break }
            } else if errno == EAGAIN, let wait {
                try wait.forBytes()
            } else if errno != EINTR {
                throw .current(path, doing: "reading")
            }
        }
        guard filled <= limit else { throw .tooLarge(path, limit: limit) }
        return Array(bytes[..<filled])
    }

    func writeAll(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        var written = 0
        while written < bytes.count {
            let count = unsafe Glibc.write(
                descriptor, bytes.baseAddress.map { unsafe $0 + written }, bytes.count - written)
            if count < 0 {
                guard errno == EINTR else { throw .current(path, doing: "writing") }
            } else {
                written += count
            }
        }
    }
}

/// What a path may lead to.
enum FileKind {
    case file
    case folder
    case pipe

    /// nil for links, devices and sockets, which nothing of ours ever is.
    init?(_ status: stat) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: self = .file
        case S_IFDIR: self = .folder
        case S_IFIFO: self = .pipe
        default: return nil
        }
    }
}

/// Refuses what is none of `kinds`, does not belong to us or root, or lets others in.
///
/// In this order: the remedy for a mode would be bad advice for a device or what a link leads to.
func check(
    _ status: stat, path: String, _ kinds: [FileKind], alsoOwnedBy other: UInt32? = nil
) throws(FileError) {
    guard let kind = FileKind(status), kinds.contains(kind) else {
        throw kinds == [.folder] ? .notAFolder(path) : .notAFile(path)
    }
    guard status.st_uid == geteuid() || status.st_uid == 0 || status.st_uid == other else {
        throw .foreignOwner(
            path, owner: User(id: status.st_uid).name, expected: User.effective.name)
    }
    guard status.st_mode & 0o077 == 0 else {
        guard kind != .pipe else { throw .exposedPipe(path) }
        let digits = String(status.st_mode & 0o7777, radix: 8)
        throw .exposed(path, mode: String(repeating: "0", count: max(0, 4 - digits.count)) + digits)
    }
}
