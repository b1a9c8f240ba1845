import Glibc
import Testing

@testable import Transfers

/// Addresses that no public server has, at both edges of each range.
@Suite struct SpecialRangeTests {
    /// The last address before, the first, the last, the first after; nil where there is none.
    typealias Edges = (before: String?, first: String, last: String, after: String?, name: String)

    static let version4: [Edges] = [
        (nil, "0.0.0.0", "0.255.255.255", "1.0.0.0", "this network"),
        ("9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0", "private"),
        ("100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0", "shared by carriers"),
        ("126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0", "loopback"),
        ("169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0", "link-local"),
        ("172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0", "private"),
        ("191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0", "for protocols"),
        ("192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0", "for documentation"),
        ("192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0", "6to4 relays"),
        ("192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0", "private"),
        ("198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0", "for benchmarks"),
        ("198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0", "for documentation"),
        ("203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0", "for documentation"),
        ("223.255.255.255", "224.0.0.0", "239.255.255.255", nil, "multicast"),
        (nil, "240.0.0.0", "255.255.255.255", nil, "reserved"),
    ]

    static let version6: [Edges] = [
        (nil, "::", "::", nil, "unspecified"),
        (nil, "::1", "::1", nil, "loopback"),
        (nil, "::2", "::fffe:ffff:ffff", nil, "not assigned"),
        (
            nil, "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", nil, "local translation"
        ),
        (nil, "100::", "100::ffff:ffff:ffff:ffff", nil, "discard only"),
        (nil, "100:0:0:1::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", nil, "not assigned"),
        (
            "2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001::",
            "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:200::", "for protocols"
        ),
        (
            "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db8::",
            "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db9::", "for documentation"
        ),
        (
            "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff::",
            "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:1000::", "for documentation"
        ),
        (
            "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "4000::",
            "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", nil, "not assigned"
        ),
        (nil, "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", nil, "unique local"),
        (nil, "fe00::", "fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff", nil, "not assigned"),
        (nil, "fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", nil, "link-local"),
        (nil, "fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", nil, "site-local"),
        (nil, "ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", nil, "multicast"),
    ]

    @Test func `each range is refused from its first address to its last, and not beyond`() throws {
        for edges in Self.version4 + Self.version6 {
            for text in [edges.first, edges.last] {
                let refusal = try #require(try address(text).refusal, "\(text)")
                #expect(refusal.range == edges.name, "\(text)")
                #expect(refusal.address == text)
            }
            for text in [edges.before, edges.after].compactMap(\.self) {
                #expect(try address(text).refusal == nil, "\(text)")
            }
        }
        #expect(Self.version4.count == SpecialRange.version4.count)
    }

    @Test func `an address of IPv4 within one of IPv6 counts as itself`() throws {
        for edges in Self.version4 {
            for inner in [edges.first, edges.last, edges.before, edges.after].compactMap(\.self) {
                let expected = try address(inner).refusal?.range
                for carried in ["::ffff:\(inner)", "64:ff9b::\(inner)", try sixToFour(inner)] {
                    #expect(try address(carried).refusal?.range == expected, "\(carried)")
                }
            }
        }
    }

    @Test func `what Apple has is no special address`() throws {
        for text in ["17.253.0.1", "17.32.139.128", "2620:149:af0::10", "2403:300::1"] {
            #expect(try address(text).refusal == nil, "\(text)")
        }
    }

    @Test func `an address that is cut, or of another family, is none`() {
        let bytes = [UInt8](repeating: 0, count: 28)
        bytes.withUnsafeBytes { bytes in
            #expect(
                NetworkAddress(
                    family: AF_INET, socketAddress: UnsafeRawBufferPointer(rebasing: bytes[..<7]))
                    == nil)
            #expect(
                NetworkAddress(
                    family: AF_INET6, socketAddress: UnsafeRawBufferPointer(rebasing: bytes[..<23]))
                    == nil)
            #expect(NetworkAddress(family: AF_UNIX, socketAddress: bytes) == nil)
        }
    }

    /// As it comes from the resolver: a sockaddr with a port.
    private func address(_ text: String) throws -> NetworkAddress {
        let family = text.contains(":") ? AF_INET6 : AF_INET
        var bytes = [UInt8](repeating: 0, count: family == AF_INET ? 4 : 16)
        try #require(inet_pton(family, text, &bytes) == 1, "\(text)")
        let port: [UInt8] = [0, 0, 1, 187] + (family == AF_INET ? [] : [0, 0, 0, 0])
        let socketAddress = port + bytes + [UInt8](repeating: 0, count: 8)
        let found = socketAddress.withUnsafeBytes {
            NetworkAddress(family: family, socketAddress: $0)
        }
        return try #require(found)
    }

    private func sixToFour(_ text: String) throws -> String {
        var bytes = [UInt8](repeating: 0, count: 4)
        try #require(inet_pton(AF_INET, text, &bytes) == 1)
        let words = [0, 2].map {
            String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16)
        }
        return "2002:\(words[0]):\(words[1])::1"
    }
}
