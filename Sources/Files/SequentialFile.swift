internal import CLinux
internal import Glibc

/// A file, or a pipe, that is read from its beginning to its end in pieces.
///
/// For what is too large to be held in memory; smaller files are ``InputFile``'s. Opened as the user
/// who asks, and read afterwards as whoever the process has become.
package final class SequentialFile {
    package let path: String
    private let descriptor: Int32
    private let isPipe: Bool
    private let patience: PipePatience

    /// Opens a file or a pipe; never a folder or a device.
    ///
    /// - Throws: ``FileError``.
    package convenience init(
        _ path: String, pipe: PipePatience = .forPeople
    ) throws(FileError) {
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw .current(path, doing: "opening") }
        try self.init(takingOwnershipOf: descriptor, path: path, pipe)
    }

    /// Standard input as it was handed over: opening it by a name again may not be allowed.
    ///
    /// - Throws: ``FileError``.
    package static func standardInput() throws(FileError) -> SequentialFile {
        let descriptor = dup(STDIN_FILENO)
        guard descriptor >= 0 else { throw .current("standard input", doing: "reading") }
        return try SequentialFile(
            takingOwnershipOf: descriptor, path: "standard input", .forPeople)
    }

    private init(
        takingOwnershipOf descriptor: Int32, path: String, _ patience: PipePatience
    ) throws(FileError) {
        self.path = path
        self.descriptor = descriptor
        self.patience = patience
        var status = stat()
        let isKnown = unsafe fstat(descriptor, &status) == 0
        let type = status.st_mode & S_IFMT
        isPipe = type == S_IFIFO || type == S_IFSOCK
        guard isKnown, type == S_IFREG || (isPipe && patience != .none) else {
            throw .notAFile(path)
        }
    }

    deinit {
        close(descriptor)
    }

    /// The next bytes, exactly `count` of them unless the file ends before.
    ///
    /// A pipe may take as long as it likes, as long as something comes every now and then.
    ///
    /// - Throws: ``FileError``.
    package func read(_ count: Int) throws(FileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let wait = isPipe ? PipeWait(for: descriptor, path: path, patience) : nil
            // It may be one that blocks, and then only when something has come it does not.
            if isAtWork { try wait?.forBytes() }
            let got = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(
                    descriptor, buffer.baseAddress.map { unsafe $0 + filled }, count - filled)
            }
            if got > 0 {
                filled += got
                isAtWork = true
            } else if got == 0 {
                // A pipe that nobody has opened for writing yet looks like one at its end.
                guard !isAtWork, let wait, try firstWriter(wait) else { break }
            } else if errno == EAGAIN, let wait {
                try wait.forBytes()
            } else if errno != EINTR {
                throw .current(path, doing: "reading")
            }
        }
        return Array(bytes[..<filled])
    }

    /// Whether anything has come.
    private var isAtWork = false
    private var firstWait: PipeWait?

    /// The patience for a writer to come is one, however often it is looked for.
    private func firstWriter(_ wait: PipeWait) throws(FileError) -> Bool {
        let first = firstWait ?? wait
        firstWait = first
        return try first.forFirstWriter()
    }
}
