internal import Glibc

extension DurableFile {
    /// Overwrites a file where it lies, makes that durable, and removes it; a file that is gone
    /// already is no error.
    ///
    /// Where the disk writes elsewhere by itself (flash, copy-on-write, snapshots), the old bytes
    /// stay for a while where no program reaches them. Hard links share the bytes and lose them
    /// too; a symbolic link or anything else that is no ordinary file is refused.
    ///
    /// - Throws: ``FileError``; given again, it goes on where it stopped.
    package static func wipe(_ path: String) throws(FileError) {
        if let status = try FileStatus.ifPresent(path) {
            guard status.isFile else { throw .notAFile(path) }
            try overwrite(path, count: Int(status.size))
        }
        try remove(path)
    }

    private static func overwrite(_ path: String, count: Int) throws(FileError) {
        let file = try OpenFile(path, O_WRONLY | O_NOFOLLOW)
        var left = count
        while left > 0 {
            let zeros = [UInt8](repeating: 0, count: min(left, 65_536))
            let outcome: Result<Void, FileError> = unsafe zeros.withUnsafeBytes { buffer in
                Result { () throws(FileError) in try unsafe file.writeAll(buffer) }
            }
            try outcome.get()
            left -= zeros.count
        }
        guard fsync(file.descriptor) == 0 else { throw .current(path, doing: "writing") }
    }
}
