internal import CLinux
internal import Glibc

/// A listening stream socket that somebody else opened for us, such as a service manager.
///
/// Whoever opened it keeps it open: at the end it is neither shut down nor is a Unix socket's file
/// removed, so that clients that come meanwhile wait for the next service.
package struct PassedSocket: Sendable, Hashable {
    let descriptor: Int32
    /// Where it listens; an abstract Unix socket's name has an `@` in front.
    package let address: ListenAddress

    /// Adopts `descriptor`, which a ``WebServer`` closes from then on; `name` is for messages.
    ///
    /// - Throws: ``WebServerError/passedSocket(_:what:)`` for all but a socket of internet or Unix streams
    ///   that listens.
    package init(_ descriptor: Int32, name: String) throws(WebServerError) {
        guard let kind = Self.option(SO_TYPE, of: descriptor) else {
            throw .passedSocket(name, what: "it is no socket")
        }
        guard kind == purser_stream else {
            throw .passedSocket(name, what: "it is no stream socket")
        }
        guard Self.option(SO_ACCEPTCONN, of: descriptor) == 1 else {
            throw .passedSocket(name, what: "it does not listen")
        }
        guard let address = Self.boundAddress(of: descriptor) else {
            throw .passedSocket(name, what: "it is neither an internet nor a Unix socket")
        }
        self.descriptor = descriptor
        self.address = address
    }

    private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        let status = unsafe getsockopt(descriptor, SOL_SOCKET, name, &value, &size)
        return status == 0 ? value : nil
    }

    private static func boundAddress(of descriptor: Int32) -> ListenAddress? {
        // As large as any address that is read here: sockaddr_un.
        unsafe withUnsafeTemporaryAllocation(
            byteCount: MemoryLayout<sockaddr_un>.size,
            alignment: MemoryLayout<sockaddr_un>.alignment
        ) { storage -> ListenAddress? in
            var size = socklen_t(storage.count)
            guard let start = storage.baseAddress,
                unsafe getsockname(
                    descriptor, start.assumingMemoryBound(to: sockaddr.self), &size) == 0
            else { return nil }
            switch unsafe Int32(start.loadUnaligned(as: sa_family_t.self)) {
            case AF_INET:
                var found = unsafe start.loadUnaligned(as: sockaddr_in.self)
                let text = unsafe InternetAddress.text(of: &found.sin_addr, family: AF_INET)
                return text.map { .ipv4($0, port: UInt16(bigEndian: found.sin_port)) }
            case AF_INET6:
                var found = unsafe start.loadUnaligned(as: sockaddr_in6.self)
                let text = unsafe InternetAddress.text(of: &found.sin6_addr, family: AF_INET6)
                return text.map { .ipv6($0, port: UInt16(bigEndian: found.sin6_port)) }
            case AF_UNIX:
                let name = unsafe storage[
                    MemoryLayout<sa_family_t>.size..<min(Int(size), storage.count)]
                return .unix(path: unsafe path(Array(name)))
            default: return nil
            }
        }
    }

    /// unix(7): a path ends at its NUL, an abstract name begins with one.
    private static func path(_ name: [UInt8]) -> String {
        name.first == 0
            ? "@" + String(decoding: name.dropFirst(), as: UTF8.self)
            : String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
    }
}
