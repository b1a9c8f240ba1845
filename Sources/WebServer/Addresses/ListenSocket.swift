internal import CLinux
internal import Glibc

/// A socket that listens; it is closed by ``close()`` and by nothing else.
///
/// We open it, not libmicrohttpd, so that several addresses, Unix sockets and the close-on-exec flag
/// are handled alike, and so are sockets that were passed to us.
struct ListenSocket: Sendable {
    let descriptor: Int32
    /// The address it is bound to, with the port that the system chose when 0 was asked for.
    let address: ListenAddress
    /// Whether somebody else keeps it open, for the service that comes after this one.
    let isPassed: Bool
    /// Device and inode of a Unix socket's file, so that only our own is removed.
    private let file: UnixSocketFile.Identity?

    /// Connections that wait to be accepted; the system cuts it to net.core.somaxconn.
    private static let backlog: Int32 = 1024

    /// Binds and listens.
    init(_ address: ListenAddress) throws(WebServerError) {
        isPassed = false
        switch address {
        case .unix(let path):
            (descriptor, file) = try UnixSocketFile.listen(at: path, backlog: Self.backlog)
            self.address = address
        case .ipv4(let text, let port):
            var binary = sockaddr_in()
            binary.sin_family = sa_family_t(AF_INET)
            binary.sin_port = port.bigEndian
            unsafe inet_pton(AF_INET, text, &binary.sin_addr)
            descriptor = try Self.listen(AF_INET, binary, address)
            file = nil
            self.address = .ipv4(text, port: Self.boundPort(of: descriptor) ?? port)
        case .ipv6(let text, let port):
            var binary = sockaddr_in6()
            binary.sin6_family = sa_family_t(AF_INET6)
            binary.sin6_port = port.bigEndian
            unsafe inet_pton(AF_INET6, text, &binary.sin6_addr)
            descriptor = try Self.listen(AF_INET6, binary, address)
            file = nil
            self.address = .ipv6(text, port: Self.boundPort(of: descriptor) ?? port)
        }
    }

    /// Takes over a socket that listens already.
    init(_ passed: PassedSocket) {
        descriptor = passed.descriptor
        address = passed.address
        isPassed = true
        file = nil
    }

    /// Whether a connection waits to be accepted.
    var hasWaiting: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, 0) > 0 && entry.revents & Int16(POLLIN) != 0
    }

    /// Refuses new connections from now on; libmicrohttpd asks for the descriptor to stay open.
    ///
    /// Those of a passed socket wait: shutdown(2) would end it for everybody who has it open.
    func refuseConnections() {
        if isPassed { return }
        if case .unix(let path) = address, let file { UnixSocketFile.remove(path, if: file) }
        _ = purser_shutdown(descriptor)
    }

    /// Closes it; call once, and after libmicrohttpd has let go of it.
    func close() {
        if case .unix(let path) = address, let file { UnixSocketFile.remove(path, if: file) }
        _ = Glibc.close(descriptor)
    }

    private static func listen<Address>(
        _ family: Int32, _ binary: Address, _ address: ListenAddress
    ) throws(WebServerError) -> Int32 {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .cannotListen("\(address)", errno: errno) }
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        // So that a restart need not wait for connections in TIME-WAIT.
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
        if family == AF_INET6 {
            unsafe setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, size)
        }
        let status = unsafe withUnsafeBytes(of: binary) { bytes in
            guard let start = unsafe bytes.assumingMemoryBound(to: sockaddr.self).baseAddress else {
                return Int32(-1)
            }
            return unsafe bind(descriptor, start, socklen_t(bytes.count))
        }
        guard status == 0, Glibc.listen(descriptor, backlog) == 0 else {
            let failure = errno
            _ = Glibc.close(descriptor)
            throw WebServerError(errno: failure, listeningOn: address)
        }
        return descriptor
    }

    private static func boundPort(of descriptor: Int32) -> UInt16? {
        var storage = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let status = unsafe withUnsafeMutableBytes(of: &storage) { bytes in
            guard let start = unsafe bytes.assumingMemoryBound(to: sockaddr.self).baseAddress else {
                return Int32(-1)
            }
            return unsafe getsockname(descriptor, start, &size)
        }
        // The port stands at the same place in sockaddr_in and sockaddr_in6.
        return status == 0 ? UInt16(bigEndian: storage.sin6_port) : nil
    }
}

extension WebServerError {
    /// What socket(2), bind(2) or listen(2) failed with.
    init(errno failure: Int32, listeningOn address: ListenAddress) {
        switch failure {
        case EADDRINUSE: self = .addressInUse("\(address)")
        case EADDRNOTAVAIL: self = .addressNotHere("\(address)")
        case EACCES, EPERM, EROFS: self = .notPermitted("\(address)")
        case ENOENT, ENOTDIR: self = .folderMissing("\(address)")
        default: self = .cannotListen("\(address)", errno: failure)
        }
    }
}
