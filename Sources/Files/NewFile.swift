internal import CLinux
internal import Glibc

/// A new file that is written piece by piece and gets its name last.
///
/// For what is too large to be held in memory; smaller files are ``DurableFile``'s. As there, the
/// file has no name before it is whole and on the disk (O_TMPFILE), so a crash leaves nothing;
/// where the file system knows no such files it has a temporary one that begins with
/// ``DurableFile/temporaryPrefix``. What is never finished is gone with this object.
package final class NewFile {
    private let path: String
    /// The name until the end, where one is needed.
    private var temporary: String?
    private let file: OpenHandle
    /// Bytes written so far.
    package private(set) var size = 0

    /// Begins a file of mode 0600 in the folder of `path`, where nothing of that name may be.
    ///
    /// - Throws: ``FileError/exists(_:)``, ``FileError/folderNotFound(_:)`` and others of
    ///   ``FileError``.
    package init(_ path: String) throws(FileError) {
        if try FileStatus.ifPresent(path) != nil { throw .exists(path) }
        let folder = DurableFile.split(path).folder
        guard try FileStatus.ifPresent(folder) != nil else { throw .folderNotFound(folder) }
        self.path = path
        if let unnamed = Self.unnamed(in: folder, for: path) {
            file = unnamed
        } else {
            let random = String(UInt64.random(in: .min ... .max), radix: 16)
            let name = "\(folder)/\(DurableFile.temporaryPrefix)\(random)"
            file = try Self.open(name, O_CREAT | O_EXCL | O_NOFOLLOW, for: path)
            temporary = name
        }
        guard fchmod(file.descriptor, 0o600) == 0 else { throw .current(path, doing: "protecting") }
    }

    deinit {
        guard let temporary else { return }
        Privileges.asRoot { unsafe _ = unlink(temporary) }
    }

    /// A file without a name, where one can be given later by way of /proc.
    private static func unnamed(in folder: String, for path: String) -> OpenHandle? {
        let opened = Result { () throws(FileError) in
            try open(folder, purser_unnamed_file, for: path)
        }
        guard let file = try? opened.get(),
            unsafe access("/proc/self/fd/\(file.descriptor)", F_OK) == 0
        else { return nil }
        return file
    }

    private static func open(
        _ name: String, _ flags: Int32, for path: String
    ) throws(FileError) -> OpenHandle {
        OpenHandle(try OpenFile(name, O_WRONLY | flags, mode: 0o600, as: path))
    }

    /// Adds bytes at the end.
    ///
    /// - Throws: ``FileError``, such as ``FileError/full(_:)``.
    package func append(_ bytes: [UInt8]) throws(FileError) {
        try file.append(bytes)
        size += bytes.count
    }

    /// Makes the contents durable, gives the file its name, and makes that durable.
    ///
    /// - Throws: ``FileError/exists(_:)`` when somebody was faster, and others of ``FileError``;
    ///   nothing is left behind.
    package func finish() throws(FileError) {
        guard fsync(file.descriptor) == 0 else { throw .current(path, doing: "writing") }
        let name = temporary ?? "/proc/self/fd/\(file.descriptor)"
        // link(2) fails where the name exists, which rename(2) would replace. By way of /proc, because
        // AT_EMPTY_PATH needs a privilege (open(2), on O_TMPFILE).
        guard unsafe linkat(AT_FDCWD, name, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 else {
            throw .current(path, doing: "writing")
        }
        if let temporary { unsafe _ = unlink(temporary) }
        self.temporary = nil
        try Folder.synchronise(DurableFile.split(path).folder)
    }
}

/// An ``OpenFile`` that a class can hold and hand on.
private final class OpenHandle {
    private let file: OpenFile

    init(_ file: consuming OpenFile) { self.file = file }

    var descriptor: Int32 { file.descriptor }

    func append(_ bytes: [UInt8]) throws(FileError) {
        // Array.withUnsafeBytes does not know typed throws.
        let outcome: Result<Void, FileError> = unsafe bytes.withUnsafeBytes { buffer in
            Result { () throws(FileError) in try unsafe file.writeAll(buffer) }
        }
        try outcome.get()
    }
}
