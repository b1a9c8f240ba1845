internal import Glibc

/// An IPv4 or IPv6 address as its bytes; IPv4-mapped IPv6 (RFC 4291 §2.5.5.2) is read as IPv4, so that
/// one machine has one address whichever socket it came in by.
package struct IPAddress: Sendable, Hashable, CustomStringConvertible {
    /// 4 or 16 bytes in network order.
    package let bytes: [UInt8]

    /// An address of 4 or 16 bytes in network order; nil for any other number of them.
    package init?(bytes: [UInt8]) {
        switch bytes.count {
        case 4: self.bytes = bytes
        case 16: self.bytes = bytes.starts(with: Self.mapped) ? Array(bytes[12...]) : bytes
        default: return nil
        }
    }

    /// Reads what inet_pton(3) reads; a zone (`%eth0`), a port and brackets are refused.
    package init?(_ text: some StringProtocol) {
        let text = String(text)
        guard text.utf8.count <= 45, !text.utf8.contains(0) else { return nil }
        var small = in_addr()
        if inet_pton(AF_INET, text, &small) == 1 {
            self.init(bytes: withUnsafeBytes(of: small) { Array($0) })
            return
        }
        var large = in6_addr()
        guard inet_pton(AF_INET6, text, &large) == 1 else { return nil }
        self.init(bytes: withUnsafeBytes(of: large) { Array($0) })
    }

    /// As inet_ntop(3) writes it (RFC 5952).
    package var description: String {
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "?" }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    // ::ffff:0:0/96
    private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
}
