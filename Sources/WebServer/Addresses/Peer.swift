internal import CLinux
internal import Glibc

/// Who is at the other end of a connection.
package enum Peer: Sendable, Hashable {
    /// 127.0.0.0/8 or ::1. Behind a proxy on this machine every client looks so.
    case loopback
    /// A Unix socket, with the user that connected; nil when the system does not tell.
    case unixSocket(uid: UInt32?)
    /// Any other address, as text.
    case other(String)

    /// Reads the address that accept(2) gave for `descriptor`.
    init(address: UnsafePointer<sockaddr>?, descriptor: Int32) {
        guard let address = unsafe address else {
            self = .other("unknown")
            return
        }
        switch unsafe Int32(address.pointee.sa_family) {
        case AF_UNIX:
            self = .unixSocket(uid: UInt32(exactly: purser_unix_peer_uid(descriptor)))
        case AF_INET:
            let raw = unsafe UnsafeRawPointer(address)
            self.init(unsafe raw.loadUnaligned(as: sockaddr_in.self).sin_addr)
        case AF_INET6:
            let raw = unsafe UnsafeRawPointer(address)
            var binary = unsafe raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            // A socket of the service manager's may take both families. Then a client of IPv4 is mapped
            // (RFC 4291 §2.5.5.2), and is told as what it is.
            if let mapped = unsafe withUnsafeBytes(of: binary, Self.mappedAddress) {
                self.init(mapped)
                return
            }
            let text = unsafe InternetAddress.text(of: &binary, family: AF_INET6) ?? "unknown"
            self = text == "::1" ? .loopback : .other(text)
        default:
            self = .other("unknown")
        }
    }

    private init(_ address: in_addr) {
        var binary = address
        self =
            UInt32(bigEndian: binary.s_addr) >> 24 == 127
            ? .loopback
            : .other(unsafe InternetAddress.text(of: &binary, family: AF_INET) ?? "unknown")
    }

    private static func mappedAddress(_ bytes: UnsafeRawBufferPointer) -> in_addr? {
        let isMapped =
            unsafe bytes.prefix(10).allSatisfy { $0 == 0 }
            && bytes[10...11].allSatisfy { $0 == 0xFF }
        return isMapped ? unsafe bytes.loadUnaligned(fromByteOffset: 12, as: in_addr.self) : nil
    }
}
