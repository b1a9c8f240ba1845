internal import Glibc

/// The address in a sockaddr of IPv4 or IPv6, without its port.
struct NetworkAddress: Sendable, Equatable {
    /// Four bytes or sixteen, in network order.
    let bytes: [UInt8]

    /// Reads a sockaddr (ip(7), ipv6(7)); nil for any other family, or one that is cut.
    init?(family: Int32, socketAddress: UnsafeRawBufferPointer) {
        // The port stands before both; IPv6 has its flow besides.
        let place: Range<Int>
        switch family {
        case AF_INET: place = 4..<8
        case AF_INET6: place = 8..<24
        default: return nil
        }
        guard socketAddress.count >= place.upperBound else { return nil }
        bytes = unsafe Array(socketAddress[place])
    }

    /// In digits, as inet_ntop(3) writes it.
    var text: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard unsafe inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else {
            return "?"
        }
        return String(
            decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Why no public server can have it; nil where one can.
    var refusal: AddressRefusal? {
        SpecialRange.of(bytes).map { AddressRefusal(address: text, range: $0.name) }
    }
}

/// An address that a name of a public server must not stand for.
package struct AddressRefusal: Sendable, Equatable {
    /// In digits.
    package let address: String
    /// What such addresses are for, in words such as `loopback`.
    package let range: String
}
