import Merchants
import PKI

/// Writes files as a tar archive in the pax form (POSIX.1-2017, pax(1)), which any `tar` unpacks.
///
/// Ordinary files of mode 0600 alone, owned by nobody in particular; a path or a size that the old
/// header has no room for is told in an extended one before it.
package final class TarWriter {
    private let sink: ([UInt8]) throws -> Void
    private let time: Int64
    /// What the file under way still lacks.
    private var missing = 0
    private var padding = 0

    /// `time` (seconds since 1970) is what all files get as their date.
    package init(time: Int64, sink: @escaping ([UInt8]) throws -> Void) {
        self.time = max(0, time)
        self.sink = sink
    }

    /// Begins a file; its bytes follow by ``write(_:)``, exactly `size` of them.
    ///
    /// - Throws: what the sink throws.
    package func begin(_ path: String, size: Int) throws {
        precondition(missing == 0, "the file before is not complete")
        let parts = TarHeader.split(path)
        let isLarge = size > TarHeader.largestSize
        if parts == nil || isLarge {
            var records: [UInt8] = []
            if parts == nil { records += Self.record("path", path) }
            if isLarge { records += Self.record("size", String(size)) }
            try sink(
                TarHeader(
                    kind: .extended, name: "./PaxHeaders/next", size: records.count, time: time
                ).encoded())
            try sink(records + Self.zeros(upToBlock: records.count))
        }
        try sink(
            TarHeader(
                kind: .file, prefix: parts?.prefix ?? "", name: parts?.name ?? "long-name",
                size: isLarge ? 0 : size, time: time
            ).encoded())
        missing = size
        padding = Self.zeros(upToBlock: size).count
        if size == 0 { padding = 0 }
    }

    /// Writes the next bytes of the file under way.
    ///
    /// - Throws: what the sink throws.
    package func write(_ bytes: [UInt8]) throws {
        precondition(bytes.count <= missing, "more bytes than were announced")
        try sink(bytes)
        missing -= bytes.count
        if missing == 0, padding > 0 {
            try sink([UInt8](repeating: 0, count: padding))
            padding = 0
        }
    }

    /// Writes the end of the archive: two blocks of zeros.
    ///
    /// - Throws: what the sink throws.
    package func finish() throws {
        precondition(missing == 0, "the last file is not complete")
        try sink([UInt8](repeating: 0, count: 2 * TarHeader.blockSize))
    }

    /// A pax record: its own length in decimal, a blank, the keyword, `=`, the value, a line end.
    private static func record(_ keyword: String, _ value: String) -> [UInt8] {
        let rest = " \(keyword)=\(value)\n"
        var length = rest.utf8.count + 1
        while String(length).utf8.count + rest.utf8.count != length {
            length = String(length).utf8.count + rest.utf8.count
        }
        return Array("\(length)\(rest)".utf8)
    }

    private static func zeros(upToBlock count: Int) -> [UInt8] {
        let over = count % TarHeader.blockSize
        return [UInt8](repeating: 0, count: over == 0 ? 0 : TarHeader.blockSize - over)
    }
}

@available(*, unavailable)
extension TarWriter: Sendable {}
