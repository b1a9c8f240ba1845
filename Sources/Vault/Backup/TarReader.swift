/// Reads a tar archive as ``TarWriter`` writes it, and refuses every other.
///
/// No links, folders, devices, other dialects: who may have written the archive is known only once
/// its last file has been read, so nothing is taken from it that we do not write. Memory does not
/// grow with the archive.
package final class TarReader {
    private let source: (Int) throws -> [UInt8]
    private var left = 0
    private var padding = 0

    /// `source` answers the next bytes, as many as are asked for unless it ends.
    package init(source: @escaping (Int) throws -> [UInt8]) {
        self.source = source
    }

    /// A file of the archive.
    package struct Entry: Equatable {
        package let path: String
        package let size: Int
    }

    /// The next file, or nil at the end; what is left of the one before is passed over.
    ///
    /// - Throws: ``VaultError/backupDamaged(_:)``, what the source throws.
    package func next() throws -> Entry? {
        while left > 0 { _ = try read(1 << 16) }
        let block = try take(TarHeader.blockSize)
        if block.allSatisfy({ $0 == 0 }) { return nil }
        guard var header = TarHeader(block) else {
            throw VaultError.backupDamaged("a header is not one that purser writes")
        }
        var path: String?
        var size: Int?
        if header.kind == .extended {
            guard header.size <= Self.recordsLimit else {
                throw VaultError.backupDamaged("an extended header is too long")
            }
            (path, size) = try Self.records(try padded(header.size))
            guard let following = TarHeader(try take(TarHeader.blockSize)), following.kind == .file
            else { throw VaultError.backupDamaged("no file follows an extended header") }
            header = following
        }
        left = size ?? header.size
        padding = (TarHeader.blockSize - left % TarHeader.blockSize) % TarHeader.blockSize
        return Entry(path: path ?? header.path, size: left)
    }

    /// The next bytes of the file that ``next()`` has answered, at most `most`; empty at its end.
    ///
    /// - Throws: as ``next()``.
    package func read(_ most: Int) throws -> [UInt8] {
        guard left > 0 else { return [] }
        let bytes = try take(min(most, left))
        left -= bytes.count
        if left == 0 { _ = try take(padding) }
        return bytes
    }

    /// More than a path and a size need.
    private static let recordsLimit = 4_096

    private func take(_ count: Int) throws -> [UInt8] {
        let bytes = try source(count)
        guard bytes.count == count else { throw VaultError.backupDamaged("it ends too early") }
        return bytes
    }

    private func padded(_ count: Int) throws -> [UInt8] {
        let over = count % TarHeader.blockSize
        let bytes = try take(over == 0 ? count : count + TarHeader.blockSize - over)
        return Array(bytes[..<count])
    }

    /// pax records: path and size, each at most once, and nothing else.
    private static func records(_ bytes: [UInt8]) throws -> (path: String?, size: Int?) {
        let damage = VaultError.backupDamaged("an extended header is not one that purser writes")
        var path: String?
        var size: Int?
        var rest = bytes[...]
        while !rest.isEmpty {
            let digits = rest.prefix { $0 != UInt8(ascii: " ") }
            guard digits.count <= 5, let length = Int(String(decoding: digits, as: UTF8.self)),
                length > digits.count + 1, length <= rest.count,
                let record = String(
                    validating: rest.dropFirst(digits.count + 1).prefix(length - digits.count - 1),
                    as: UTF8.self), record.hasSuffix("\n"),
                let equals = record.firstIndex(of: "=")
            else { throw damage }
            let value = record[record.index(after: equals)...].dropLast()
            switch record[..<equals] {
            case "path" where path == nil && !value.isEmpty: path = String(value)
            case "size" where size == nil:
                guard let number = Int(value), number >= 0 else { throw damage }
                size = number
            default: throw damage
            }
            rest = rest.dropFirst(length)
        }
        return (path, size)
    }
}

@available(*, unavailable)
extension TarReader: Sendable {}
