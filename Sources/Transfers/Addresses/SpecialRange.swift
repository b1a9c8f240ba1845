internal import Networks

/// A range of IP addresses that no public server has.
///
/// From IANA's special-purpose address registries (RFC 6890 and its successors). Apple's gateways
/// are on the public Internet: a name of theirs that stands for one of these has been tampered with,
/// or is answered by somebody inside.
struct SpecialRange: Sendable, Equatable {
    /// In words, for a person.
    let name: String
    let range: NetworkRange

    private init(_ name: String, _ range: StaticString) {
        self.name = name
        self.range = NetworkRange(literal: range)
    }

    /// The range that an address of IPv4 or IPv6 is in; nil for a public one.
    ///
    /// Of IPv6 only 2000::/3 is given to anybody (RFC 4291 §2.4), so all else is special. Where an
    /// address of IPv4 is written in one of IPv6, that one counts; the mapped form is IPv4 already
    /// (``Networks/IPAddress``).
    static func of(_ address: IPAddress) -> SpecialRange? {
        guard address.bytes.count == 16 else {
            return version4.first { $0.range.contains(address) }
        }
        for carrier in carriers where carrier.range.range.contains(address) {
            let inner = address.bytes[carrier.offset..<carrier.offset + 4]
            return IPAddress(bytes: Array(inner)).flatMap(of)
        }
        return version6.first { $0.range.contains(address) }
            ?? (globalUnicast.contains(address) ? nil : unassigned)
    }

    static let version4: [SpecialRange] = [
        SpecialRange("this network", "0.0.0.0/8"), SpecialRange("private", "10.0.0.0/8"),
        SpecialRange("shared by carriers", "100.64.0.0/10"),
        SpecialRange("loopback", "127.0.0.0/8"), SpecialRange("link-local", "169.254.0.0/16"),
        SpecialRange("private", "172.16.0.0/12"), SpecialRange("for protocols", "192.0.0.0/24"),
        SpecialRange("for documentation", "192.0.2.0/24"),
        SpecialRange("6to4 relays", "192.88.99.0/24"), SpecialRange("private", "192.168.0.0/16"),
        SpecialRange("for benchmarks", "198.18.0.0/15"),
        SpecialRange("for documentation", "198.51.100.0/24"),
        SpecialRange("for documentation", "203.0.113.0/24"),
        SpecialRange("multicast", "224.0.0.0/4"), SpecialRange("reserved", "240.0.0.0/4"),
    ]

    static let version6: [SpecialRange] = [
        SpecialRange("unspecified", "::/128"), SpecialRange("loopback", "::1/128"),
        SpecialRange("local translation", "64:ff9b:1::/48"),
        SpecialRange("discard only", "100::/64"),
        // Teredo, ORCHID and benchmarks among them.
        SpecialRange("for protocols", "2001::/23"),
        SpecialRange("for documentation", "2001:db8::/32"),
        SpecialRange("for documentation", "3fff::/20"), SpecialRange("unique local", "fc00::/7"),
        SpecialRange("link-local", "fe80::/10"), SpecialRange("site-local", "fec0::/10"),
        SpecialRange("multicast", "ff00::/8"),
    ]

    private static let unassigned = SpecialRange("not assigned", "::/0")
    private static let globalUnicast = NetworkRange(literal: "2000::/3")

    /// What carries an address of IPv4, and where in it: the translation that DNS64 writes (RFC 6052)
    /// and 6to4 (RFC 3056).
    private static let carriers: [(range: SpecialRange, offset: Int)] = [
        (SpecialRange("translated", "64:ff9b::/96"), 12), (SpecialRange("6to4", "2002::/16"), 2),
    ]
}
