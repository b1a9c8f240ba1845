internal import Glibc

/// An address to listen on: a numeric internet address with a port, or the path of a Unix socket.
///
/// Names are not resolved, so that a start never depends on a resolver; `localhost` means 127.0.0.1.
package enum ListenAddress: Hashable, Sendable {
    case ipv4(_ address: String, port: UInt16)
    /// IPv6 alone: an IPv4 client never appears here as a mapped address.
    case ipv6(_ address: String, port: UInt16)
    case unix(path: String)

    /// Reads `127.0.0.1:8765`, `[::1]:8765`, `localhost:8765` or `unix:/path`; port 0 is any free one.
    ///
    /// - Throws: ``WebServerError/badAddress(_:what:)``.
    package init(_ text: String) throws(WebServerError) {
        if text.hasPrefix("unix:") {
            self = .unix(path: try Self.socketPath(String(text.dropFirst(5)), in: text))
            return
        }
        guard let colon = text.lastIndex(of: ":"), !text.hasSuffix("]") else {
            throw .badAddress(text, what: "the port is missing")
        }
        let digits = text[text.index(after: colon)...]
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits)
        else { throw .badAddress(text, what: "the port is not a number from 0 to 65535") }
        let host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            guard let address = Self.canonical(String(host.dropFirst().dropLast()), AF_INET6) else {
                throw .badAddress(text, what: "what stands in the brackets is not IPv6")
            }
            self = .ipv6(address, port: port)
        } else if let address = Self.canonical(host == "localhost" ? "127.0.0.1" : String(host)) {
            self = .ipv4(address, port: port)
        } else {
            throw .badAddress(text, what: "the host is not numeric")
        }
    }

    /// Whether only processes of this machine can connect: 127.0.0.0/8, ::1 or a Unix socket.
    package var isLoopback: Bool {
        switch self {
        case .ipv4(let address, _): address.hasPrefix("127.")
        case .ipv6(let address, _): address == "::1"
        case .unix: true
        }
    }

    private static func socketPath(_ path: String, in text: String) throws(WebServerError) -> String
    {
        guard path.hasPrefix("/"), !path.hasSuffix("/") else {
            throw .badAddress(text, what: "a socket's path starts at the root and names a file")
        }
        // unix(7): sun_path has 108 bytes, one of them for the final NUL.
        guard path.utf8.count < 108, !path.utf8.contains(0) else {
            throw .badAddress(text, what: "a socket's path has 107 bytes at most")
        }
        return path
    }

    /// The address as inet_ntop(3) writes it; nil when inet_pton(3) does not read it.
    private static func canonical(_ text: String, _ family: Int32 = AF_INET) -> String? {
        var binary = in6_addr()
        guard unsafe inet_pton(family, text, &binary) == 1 else { return nil }
        return unsafe InternetAddress.text(of: &binary, family: family)
    }
}

// MARK: - Text

extension ListenAddress: CustomStringConvertible {
    /// As ``init(_:)`` reads it.
    package var description: String {
        switch self {
        case .ipv4(let address, let port): "\(address):\(port)"
        case .ipv6(let address, let port): "[\(address)]:\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}

/// Numeric internet addresses as text.
enum InternetAddress {
    /// What inet_ntop(3) makes of the in_addr or in6_addr at `binary`.
    static func text(of binary: UnsafeRawPointer, family: Int32) -> String? {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) {
            buffer -> String? in
            guard
                let text = unsafe inet_ntop(
                    family, binary, buffer.baseAddress, socklen_t(INET6_ADDRSTRLEN))
            else { return nil }
            return unsafe String(cString: text)
        }
    }
}
