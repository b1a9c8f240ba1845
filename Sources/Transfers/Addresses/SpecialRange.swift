/// A range of IP addresses that no public server has.
///
/// From IANA's special-purpose address registries (RFC 6890 and its successors). Apple's gateways
/// are on the public Internet: a name of theirs that stands for one of these has been tampered with,
/// or is answered by somebody inside.
struct SpecialRange: Sendable, Equatable {
    /// In words, for a person.
    let name: String
    /// Four bytes or sixteen.
    let network: [UInt8]
    /// How many bits of ``network`` count.
    let bits: Int

    private init(_ name: String, _ network: [UInt8], _ bits: Int) {
        (self.name, self.network, self.bits) = (name, network, bits)
    }

    func contains(_ address: some Collection<UInt8>) -> Bool {
        guard address.count == network.count else { return false }
        return zip(address, network).enumerated().allSatisfy { index, pair in
            let counted = min(max(bits - 8 * index, 0), 8)
            return (pair.0 ^ pair.1) >> (8 - counted) == 0
        }
    }

    /// The range that an address of IPv4 or IPv6 is in; nil for a public one.
    ///
    /// Of IPv6 only 2000::/3 is given to anybody (RFC 4291 §2.4), so all else is special. Where an
    /// address of IPv4 is written in one of IPv6, that one counts.
    static func of(_ address: [UInt8]) -> SpecialRange? {
        guard address.count == 16 else { return version4.first { $0.contains(address) } }
        for carrier in carriers where carrier.range.contains(address) {
            let inner = address[carrier.offset..<carrier.offset + 4]
            return version4.first { $0.contains(inner) }
        }
        return version6.first { $0.contains(address) }
            ?? (globalUnicast.contains(address) ? nil : unassigned)
    }

    static let version4: [SpecialRange] = [
        SpecialRange("this network", [0, 0, 0, 0], 8),
        SpecialRange("private", [10, 0, 0, 0], 8),
        SpecialRange("shared by carriers", [100, 64, 0, 0], 10),
        SpecialRange("loopback", [127, 0, 0, 0], 8),
        SpecialRange("link-local", [169, 254, 0, 0], 16),
        SpecialRange("private", [172, 16, 0, 0], 12),
        SpecialRange("for protocols", [192, 0, 0, 0], 24),
        SpecialRange("for documentation", [192, 0, 2, 0], 24),
        SpecialRange("6to4 relays", [192, 88, 99, 0], 24),
        SpecialRange("private", [192, 168, 0, 0], 16),
        SpecialRange("for benchmarks", [198, 18, 0, 0], 15),
        SpecialRange("for documentation", [198, 51, 100, 0], 24),
        SpecialRange("for documentation", [203, 0, 113, 0], 24),
        SpecialRange("multicast", [224, 0, 0, 0], 4),
        SpecialRange("reserved", [240, 0, 0, 0], 4),
    ]

    static let version6: [SpecialRange] = [
        SpecialRange("unspecified", version6(), 128),
        SpecialRange("loopback", version6(15, 1), 128),
        SpecialRange("local translation", version6(0, 0x00, 0x64, 0xFF, 0x9B, 0x00, 0x01), 48),
        SpecialRange("discard only", version6(0, 0x01, 0x00), 64),
        // Teredo, ORCHID and benchmarks among them.
        SpecialRange("for protocols", version6(0, 0x20, 0x01, 0x00, 0x00), 23),
        SpecialRange("for documentation", version6(0, 0x20, 0x01, 0x0D, 0xB8), 32),
        SpecialRange("for documentation", version6(0, 0x3F, 0xFF, 0x00), 20),
        SpecialRange("unique local", version6(0, 0xFC), 7),
        SpecialRange("link-local", version6(0, 0xFE, 0x80), 10),
        SpecialRange("site-local", version6(0, 0xFE, 0xC0), 10),
        SpecialRange("multicast", version6(0, 0xFF), 8),
    ]

    static let unassigned = SpecialRange("not assigned", version6(), 0)
    private static let globalUnicast = SpecialRange("global", version6(0, 0x20), 3)

    /// What carries an address of IPv4, and where in it: IPv4-mapped (RFC 4291), the translation
    /// that DNS64 writes (RFC 6052) and 6to4 (RFC 3056).
    static let carriers: [(range: SpecialRange, offset: Int)] = [
        (SpecialRange("mapped", version6(10, 0xFF, 0xFF), 96), 12),
        (SpecialRange("translated", version6(0, 0x00, 0x64, 0xFF, 0x9B), 96), 12),
        (SpecialRange("6to4", version6(0, 0x20, 0x02), 16), 2),
    ]

    /// Sixteen bytes, zero but for `bytes` from `offset` on.
    private static func version6(_ offset: Int = 0, _ bytes: UInt8...) -> [UInt8] {
        var address = [UInt8](repeating: 0, count: 16)
        address.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        return address
    }
}
