/// The 512 bytes before a file in a tar archive (POSIX.1-2017, pax(1), ustar interchange format).
struct TarHeader: Equatable {
    static let blockSize = 512
    /// What eleven octal digits hold.
    static let largestSize = 0o777_7777_7777

    enum Kind: UInt8 {
        /// An ordinary file.
        case file = 0x30
        /// pax records about the next file.
        case extended = 0x78
    }

    var kind: Kind
    /// The part of the path before the last slash that makes both parts fit; may be empty.
    var prefix = ""
    var name: String
    var size: Int
    /// Seconds since 1970; not read back.
    var time: Int64 = 0

    var path: String { prefix.isEmpty ? name : "\(prefix)/\(name)" }

    /// Splits a path at a slash so that it fits; nil when it does not.
    static func split(_ path: String) -> (prefix: String, name: String)? {
        if path.utf8.count <= 100 { return ("", path) }
        guard let slash = path.lastIndex(of: "/") else { return nil }
        let prefix = path[..<slash]
        let name = path[path.index(after: slash)...]
        guard prefix.utf8.count <= 155, name.utf8.count <= 100 else { return nil }
        return (String(prefix), String(name))
    }

    // MARK: Encoding

    func encoded() -> [UInt8] {
        var block = [UInt8](repeating: 0, count: Self.blockSize)
        func put(_ text: String, at offset: Int) {
            for (index, byte) in text.utf8.enumerated() { block[offset + index] = byte }
        }
        put(name, at: 0)
        put("0000600", at: 100)
        put("0000000", at: 108)
        put("0000000", at: 116)
        put(Self.octal(size), at: 124)
        put(Self.octal(Int(min(time, Int64(Self.largestSize)))), at: 136)
        block[156] = kind.rawValue
        put("ustar", at: 257)
        put("00", at: 263)
        put(prefix, at: 345)
        put(Self.octal(Self.checksum(block), digits: 6), at: 148)
        block[155] = UInt8(ascii: " ")
        return block
    }

    private static func octal(_ value: Int, digits: Int = 11) -> String {
        let text = String(value, radix: 8)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// The sum of all bytes, those of the sum itself taken for blanks.
    private static func checksum(_ block: [UInt8]) -> Int {
        block.enumerated().reduce(0) { sum, byte in
            sum + Int((148..<156).contains(byte.offset) ? UInt8(ascii: " ") : byte.element)
        }
    }

    // MARK: Decoding

    /// Reads a block; nil for anything but an ordinary file or an extended header.
    init?(_ block: [UInt8]) {
        guard block.count == Self.blockSize,
            Array(block[257..<265]) == Array("ustar\u{0}00".utf8),
            Self.number(block[148..<156]) == Self.checksum(block),
            let kind = Kind(rawValue: block[156]), let size = Self.number(block[124..<136]),
            let name = Self.text(block[0..<100]), !name.isEmpty,
            let prefix = Self.text(block[345..<500])
        else { return nil }
        self.kind = kind
        self.name = name
        self.prefix = prefix
        self.size = size
    }

    init(kind: Kind, prefix: String = "", name: String, size: Int, time: Int64 = 0) {
        self.kind = kind
        self.prefix = prefix
        self.name = name
        self.size = size
        self.time = time
    }

    /// Octal digits up to a blank or NUL.
    private static func number(_ field: ArraySlice<UInt8>) -> Int? {
        let digits = field.prefix { $0 != 0 && $0 != UInt8(ascii: " ") }
        guard !digits.isEmpty else { return nil }
        return Int(String(decoding: digits, as: UTF8.self), radix: 8).flatMap { $0 < 0 ? nil : $0 }
    }

    private static func text(_ field: ArraySlice<UInt8>) -> String? {
        String(validating: field.prefix { $0 != 0 }, as: UTF8.self)
    }
}
