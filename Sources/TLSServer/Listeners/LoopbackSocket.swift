internal import Glibc

/// Binds and listens on a loopback address; refuses any other.
///
/// - Returns: the descriptor, close-on-exec and non-blocking, and its port.
func listenOnLoopback(
    host: String, port: UInt16
) throws(TLSServerError) -> (descriptor: Int32, port: UInt16) {
    var v4 = in_addr()
    var v6 = in6_addr()
    if unsafe inet_pton(AF_INET, host, &v4) == 1, UInt32(bigEndian: v4.s_addr) >> 24 == 127 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr = v4
        return try listen(AF_INET, &address, "\(host):\(port)") { $0.sin_port }
    }
    if unsafe inet_pton(AF_INET6, host, &v6) == 1, isLoopback(v6) {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_addr = v6
        return try listen(AF_INET6, &address, "[\(host)]:\(port)") { $0.sin6_port }
    }
    throw .notLoopback(host)
}

private func isLoopback(_ address: in6_addr) -> Bool {
    unsafe withUnsafeBytes(of: address) { bytes in
        unsafe bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
    }
}

private func listen<Address>(
    _ family: Int32, _ address: inout Address, _ name: String, portOf: (Address) -> in_port_t
) throws(TLSServerError) -> (descriptor: Int32, port: UInt16) {
    let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    let descriptor = socket(family, Int32(kind), 0)
    guard descriptor >= 0 else { throw .cannotListen(name, errno: errno) }
    var yes: Int32 = 1
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, 4)
    var length = socklen_t(MemoryLayout<Address>.size)
    let isListening = unsafe withUnsafeMutablePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
            unsafe bind(descriptor, generic, length) == 0
                && Glibc.listen(descriptor, 1_024) == 0
                && getsockname(descriptor, generic, &length) == 0
        }
    }
    guard isListening else {
        let reason = errno
        close(descriptor)
        throw .cannotListen(name, errno: reason)
    }
    return (descriptor, UInt16(bigEndian: portOf(address)))
}
