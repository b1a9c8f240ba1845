internal import CLinux
internal import Glibc

/// A file, or a pipe, that is read from its beginning to its end in pieces.
///
/// For what is too large to be held in memory; smaller files are ``InputFile``'s. Opened as the user
/// who asks, and read afterwards as whoever the process has become.
package final class SequentialFile {
    package let path: String
    private let file: OpenFile
    private let wait: PipeWait?

    /// Opens a file or a pipe; never a folder or a device.
    ///
    /// - Throws: ``FileError``.
    package init(_ path: String, pipe: PipePatience = .forPeople) throws(FileError) {
        self.path = path
        file = try OpenFile(path, O_RDONLY | O_NONBLOCK)
        switch try file.status().st_mode & S_IFMT {
        case S_IFREG: wait = nil
        case S_IFIFO where pipe != .none:
            wait = PipeWait(for: file.descriptor, path: path, pipe)
        default: throw .notAFile(path)
        }
    }

    /// The next bytes, exactly `count` of them unless the file ends before.
    ///
    /// - Throws: ``FileError``.
    package func read(_ count: Int) throws(FileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(
                    file.descriptor, buffer.baseAddress.map { unsafe $0 + filled }, count - filled)
            }
            if got > 0 {
                filled += got
            } else if got == 0 {
                // A pipe that nobody has opened for writing yet looks like one at its end.
                guard filled == 0, let wait, try wait.forFirstWriter() else { break }
            } else if errno == EAGAIN, let wait {
                try wait.forBytes()
            } else if errno != EINTR {
                throw .current(path, doing: "reading")
            }
        }
        return Array(bytes[..<filled])
    }
}
