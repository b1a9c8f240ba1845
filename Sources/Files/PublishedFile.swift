internal import Glibc

/// A file for other programs to read at any time: it holds the old contents or the new, never less.
///
/// For what is nobody's secret and can be made again, such as metrics.
package enum PublishedFile {
    /// Replaces the file at `path` by one of mode 0644, whatever the umask.
    ///
    /// The temporary name ends in nothing that a reader of the folder looks for.
    ///
    /// - Throws: ``FileError``; the old file is as it was then, and nothing is left behind.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(FileError) {
        let random = String(UInt64.random(in: .min ... .max), radix: 16)
        let temporary = "\(path).\(random).unfinished"
        do throws(FileError) {
            let file = try OpenFile(
                temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o644)
            guard fchmod(file.descriptor, 0o644) == 0 else {
                throw FileError.current(path, doing: "protecting")
            }
            let outcome: Result<Void, FileError> = unsafe bytes.withUnsafeBytes { buffer in
                Result { () throws(FileError) in try unsafe file.writeAll(buffer) }
            }
            try outcome.get()
            guard fsync(file.descriptor) == 0, unsafe rename(temporary, path) == 0 else {
                throw FileError.current(path, doing: "writing")
            }
        } catch {
            unsafe unlink(temporary)
            throw DurableFile.renamed(error, from: temporary, to: path)
        }
    }
}
