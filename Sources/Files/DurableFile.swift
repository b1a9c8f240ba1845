internal import CLinux
internal import Glibc
package import Secrets

/// Files that are there whole and on the disk, or not at all.
///
/// The order is that of Keystore/README.md: all bytes, fsync, the name, fsync of the folder. A new
/// file has no name before (O_TMPFILE), so that a crash leaves nothing of it, wherever it was to
/// be. One that replaces another has a temporary name, as has a new one where the file system
/// knows no unnamed files; a crash may leave it, and it begins with ``temporaryPrefix``.
package enum DurableFile {
    /// What the name of a file begins with that was not finished.
    package static let temporaryPrefix = ".unfinished-"

    /// Writes a file of mode 0600 whatever the umask.
    ///
    /// - Throws: ``FileError``; with `replacing` false also ``FileError/exists(_:)``. Nothing is
    ///   left behind and an existing file keeps its contents.
    package static func write(
        _ bytes: [UInt8], to path: String, replacing: Bool
    ) throws(FileError) {
        // Array.withUnsafeBytes does not know typed throws.
        let outcome: Result<Void, FileError> = unsafe bytes.withUnsafeBytes { buffer in
            Result { () throws(FileError) in
                try unsafe write(buffer, to: path, replacing: replacing)
            }
        }
        try outcome.get()
    }

    /// Writes a secret as it stands, such as a new key file.
    ///
    /// - Throws: as ``write(_:to:replacing:)-([UInt8],_,_)``.
    package static func write(
        _ secret: SecretBytes, to path: String, replacing: Bool
    ) throws(FileError) {
        try unsafe secret.withUnsafeBytes { (buffer) throws(FileError) in
            try unsafe write(buffer, to: path, replacing: replacing)
        }
    }

    private static func write(
        _ bytes: UnsafeRawBufferPointer, to path: String, replacing: Bool
    ) throws(FileError) {
        guard replacing else {
            let file = try NewFile(path)
            try unsafe file.append(bytes)
            return try file.finish()
        }
        try unsafe replace(path, bytes)
        try Folder.synchronise(split(path).folder)
    }

    private static func replace(
        _ path: String, _ bytes: UnsafeRawBufferPointer
    ) throws(FileError) {
        let (folder, name) = split(path)
        let temporary = "\(folder)/\(temporaryName(for: name))"
        do throws(FileError) {
            let file = try OpenFile(
                temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
            guard fchmod(file.descriptor, 0o600) == 0 else {
                throw FileError.current(path, doing: "protecting")
            }
            try unsafe file.writeAll(bytes)
            guard fsync(file.descriptor) == 0, unsafe rename(temporary, path) == 0 else {
                throw FileError.current(path, doing: "writing")
            }
        } catch {
            unsafe unlink(temporary)
            throw renamed(error, from: temporary, to: path)
        }
    }

    /// A name for what is not finished yet, with a hint at the one that it will have.
    static func temporaryName(for name: String) -> String {
        let random = String(UInt64.random(in: .min ... .max), radix: 16)
        // So much of the name as is sure to fit into 255 bytes.
        return "\(temporaryPrefix)\(random)-\(name.filter(\.isASCII).suffix(80))"
    }

    /// Removes a file and synchronises its folder; a file that is gone already is no error.
    ///
    /// - Throws: ``FileError``.
    package static func remove(_ path: String) throws(FileError) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else {
            throw .current(path, doing: "removing")
        }
        try Folder.synchronise(split(path).folder)
    }

    /// The folder and the last part of a path; the working folder is `.`.
    package static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let folder = path[..<slash]
        return (folder.isEmpty ? "/" : String(folder), String(path[path.index(after: slash)...]))
    }

    /// An error about the temporary name, told about the name that the user knows.
    static func renamed(
        _ error: FileError, from temporary: String, to path: String
    ) -> FileError {
        switch error {
        case .notFound(temporary): .folderNotFound(split(path).folder)
        case .notPermitted(temporary, _, _): .inaccessible(split(path).folder)
        case .full(temporary): .full(path)
        case .readOnly(temporary): .readOnly(path)
        case .failed(temporary, let doing, let number):
            .failed(path, doing: doing, errno: number)
        default: error
        }
    }
}
