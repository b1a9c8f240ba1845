internal import Glibc
internal import Networks

/// An address that a name of a public server must not stand for.
package struct AddressRefusal: Sendable, Equatable {
    /// In digits.
    package let address: String
    /// What such addresses are for, in words such as `loopback`.
    package let range: String
}

extension IPAddress {
    /// Reads a sockaddr (ip(7), ipv6(7)) without its port; nil for any other family, or one that is cut.
    init?(family: Int32, socketAddress: UnsafeRawBufferPointer) {
        // The port stands before both; IPv6 has its flow besides.
        let place: Range<Int>
        switch family {
        case AF_INET: place = 4..<8
        case AF_INET6: place = 8..<24
        default: return nil
        }
        guard socketAddress.count >= place.upperBound else { return nil }
        self.init(bytes: unsafe Array(socketAddress[place]))
    }

    /// Why no public server can have it; nil where one can.
    var refusal: AddressRefusal? {
        SpecialRange.of(self).map { AddressRefusal(address: description, range: $0.name) }
    }
}
