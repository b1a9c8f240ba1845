internal import CLinux
internal import Glibc

/// One of the addresses that a host's name stands for.
package struct HostAddress: Sendable, Hashable {
    /// In digits, without the port.
    package let text: String
    let family: Int32
    /// A sockaddr of that family.
    let bytes: [UInt8]

    /// Why no public server can be there; nil where one can.
    package var refusal: AddressRefusal? {
        unsafe bytes.withUnsafeBytes {
            unsafe NetworkAddress(family: family, socketAddress: $0)?.refusal
        }
    }

    /// Asks the machine's resolver (getaddrinfo(3)), which blocks for as long as it likes.
    ///
    /// - Throws: ``TransferError/nameNotResolved(host:)``.
    package static func resolve(
        _ host: String, port: UInt16
    ) throws(TransferError) -> [HostAddress] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = AF_UNSPEC
        unsafe hints.ai_socktype = purser_stream
        var list: UnsafeMutablePointer<addrinfo>?
        // An IPv6 address stands in brackets in a URL.
        let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        guard unsafe getaddrinfo(bare, String(port), &hints, &list) == 0 else {
            throw .nameNotResolved(host: host)
        }
        defer { unsafe freeaddrinfo(list) }
        var found: [HostAddress] = []
        var next = unsafe list
        while let entry = unsafe next {
            if let address = unsafe HostAddress(entry.pointee), !found.contains(address) {
                found.append(address)
            }
            unsafe next = entry.pointee.ai_next
        }
        guard !found.isEmpty else { throw .nameNotResolved(host: host) }
        return found
    }

    private init?(_ entry: addrinfo) {
        guard let address = unsafe entry.ai_addr else { return nil }
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard
            unsafe getnameinfo(
                address, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
                == 0
        else { return nil }
        family = unsafe entry.ai_family
        bytes = unsafe Array(
            UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen)))
        self.text = String(
            decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
