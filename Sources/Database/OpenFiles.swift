internal import Glibc

/// The three files that are open as one database: its own, the write-ahead log and the log's index.
///
/// SQLite finds the log by its name, once, and never looks again. Who removes a name or puts another
/// file there splits the database: this process goes on with files that nobody else sees, and at its
/// end SQLite would delete, by name, the log that the others have written. So what is open is
/// remembered, and compared with what lies there before and after each transaction and at the end.
struct OpenFiles: Equatable {
    private struct Identity: Hashable {
        let device: UInt
        let inode: UInt

        init(_ status: stat) {
            device = status.st_dev
            inode = status.st_ino
        }
    }

    private static let suffixes = ["", "-wal", "-shm"]

    private let path: String
    private let identities: [Identity]

    /// Takes down what has just been opened, and read from, as the database at `path`.
    ///
    /// - Throws: ``DatabaseError/filesReplaced(path:)`` when a name has gone to another file since
    ///   SQLite opened it.
    init(justOpenedAt path: String) throws(DatabaseError) {
        self.path = path
        identities = Self.suffixes.compactMap { Self.identity("\(path)\($0)") }
        guard identities.count == Self.suffixes.count,
            let found = Self.descriptors(of: identities), !Self.isLogTooShort(found)
        else {
            throw .filesReplaced(path: path)
        }
    }

    /// Whether the three names still lead to the files that are open.
    var areInPlace: Bool {
        zip(Self.suffixes, identities).allSatisfy { Self.identity("\(path)\($0)") == $1 }
    }

    /// Refuses to go on, or to report success, with files that nobody else sees.
    func refuseReplaced() throws(DatabaseError) {
        guard areInPlace else { throw .filesReplaced(path: path) }
    }

    private static func identity(_ path: String) -> Identity? {
        var found = stat()
        return unsafe lstat(path, &found) == 0 ? Identity(found) : nil
    }

    /// Where this process has them open; nil when one of them is not, and nothing where the system
    /// does not tell.
    ///
    /// A look at the names alone would come too late for a change right after the opening, and
    /// would not see that SQLite shares an index that is gone with an older connection of ours.
    private static func descriptors(of wanted: [Identity]) -> [Int32]? {
        guard let folder = unsafe opendir("/proc/self/fd") else { return [] }
        defer { unsafe closedir(folder) }
        var descriptors: [Identity: Int32] = [:]
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            var found = stat()
            if let number = Int32(name), unsafe fstat(number, &found) == 0 {
                descriptors[Identity(found)] = number
            }
        }
        let all = wanted.compactMap { descriptors[$0] }
        return all.count == wanted.count ? all : nil
    }

    /// Whether the index tells of frames that the log does not hold: then the log is not the one
    /// that the index is of, and what is added to it cannot be read again after a restart.
    ///
    /// Both by descriptors that are SQLite's: opening and closing the index would drop its locks.
    /// The index begins with the header of sqlite.org/walformat.html, section 2.1, in the machine's
    /// byte order: the size of a page at 14, the number of frames at 16. Frames are written before
    /// they are counted; a log that is cut at this moment is looked at again.
    private static func isLogTooShort(_ descriptors: [Int32]) -> Bool {
        guard descriptors.count == suffixes.count else { return false }
        for _ in 0..<3 {
            var header = [UInt8](repeating: 0, count: 20)
            let count = unsafe pread(descriptors[2], &header, header.count, 0)
            let (page, frames) = unsafe header.withUnsafeBytes {
                unsafe (
                    $0.load(fromByteOffset: 14, as: UInt16.self),
                    $0.load(fromByteOffset: 16, as: UInt32.self)
                )
            }
            var log = stat()
            guard count == header.count, unsafe fstat(descriptors[1], &log) == 0 else {
                return false
            }
            let frame = 24 + (page == 1 ? 65_536 : Int(page))
            if frames == 0 || log.st_size >= 32 + Int(frames) * frame { return false }
            usleep(1_000)
        }
        return true
    }
}
