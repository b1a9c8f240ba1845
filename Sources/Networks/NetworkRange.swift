/// A range of addresses in CIDR notation (RFC 4632 §3.1, RFC 4291 §2.3), such as `10.0.0.0/8`,
/// `2001:db8::/32`, or one address alone.
package struct NetworkRange: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Why a text is no range.
    package struct Malformed: Error, Equatable {
        /// A clause, such as `its length is not a number from 0 to 32`.
        package let what: String
        /// What was probably meant, where it can be told.
        package let use: String?

        package init(what: String, use: String?) {
            (self.what, self.use) = (what, use)
        }
    }

    /// The range's first address.
    package let base: IPAddress
    /// How many leading bits are the range's: 0–32 or 0–128.
    package let length: Int

    /// Reads `ADDRESS/LENGTH`, or one address.
    ///
    /// Bits behind the length are refused rather than cleared: `10.1.2.3/8` is a slip that opens a
    /// door wider than was meant.
    package init(_ text: String) throws(Malformed) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(parts[0]) else {
            throw Malformed(what: "it does not begin with an address", use: nil)
        }
        let longest = address.bytes.count * 8
        var length = longest
        if parts.count == 2 {
            // An IPv4 address that was written as IPv6 has lost the 96 bits before it.
            let digits = parts[1]
            guard (1...3).contains(digits.utf8.count),
                digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits),
                number <= longest
            else {
                throw Malformed(what: "its length is not a number from 0 to \(longest)", use: nil)
            }
            length = number
        }
        let cleared = Self.masked(address.bytes, to: length)
        guard cleared == address.bytes, let base = IPAddress(bytes: cleared) else {
            let meant = IPAddress(bytes: cleared).map { "\($0)/\(length)" }
            throw Malformed(what: "it has bits behind its length", use: meant)
        }
        self.base = base
        self.length = length
    }

    /// A range that stands in the program; one that is none is a mistake in it.
    package init(literal text: StaticString) {
        do throws(Malformed) {
            try self.init("\(text)")
        } catch {
            preconditionFailure("\(text) is no range of addresses: \(error.what)")
        }
    }

    /// Whether `address` lies in it; one of the other family never does.
    package func contains(_ address: IPAddress) -> Bool {
        address.bytes.count == base.bytes.count
            && Self.masked(address.bytes, to: length) == base.bytes
    }

    /// In canonical form, with the length.
    package var description: String { "\(base)/\(length)" }

    package static func < (one: NetworkRange, other: NetworkRange) -> Bool {
        (one.base.bytes.count, one.description) < (other.base.bytes.count, other.description)
    }

    private static func masked(_ bytes: [UInt8], to length: Int) -> [UInt8] {
        bytes.enumerated().map { index, byte in
            let kept = min(max(length - index * 8, 0), 8)
            return kept == 0 ? 0 : byte & UInt8(truncatingIfNeeded: 0xFF << (8 - kept))
        }
    }
}
