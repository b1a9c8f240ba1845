import Files
import Locks

/// The settings file of `--config`, read once, as the user who asks.
///
/// Root's process becomes the home's owner before settings are used, and may not read the file then.
final class NamedSettings: Sendable {
    private let path: String?
    private let contents = Locked<[UInt8]?>(nil)

    /// `path` is absolute; nil where the flag is absent.
    init(_ path: String?) {
        self.path = path
    }

    /// The file's contents; nil where none is named.
    ///
    /// - Throws: ``FileError``.
    func read() throws(FileError) -> [UInt8]? {
        guard let path else { return nil }
        if let known = contents.withLock({ $0 }) { return known }
        let found = try InputFile.read(path, limit: 1 << 18, pipe: .forPeople)
        contents.withLock { $0 = found }
        return found
    }
}
