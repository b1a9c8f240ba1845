/// The scheme, host and port of a payment-services gateway: `https://host[:port]`, nothing else.
///
/// A gateway is where Purser speaks to, so its form is checked once, here: https alone, no user
/// information, path, query or fragment; the host is kept in lower case.
package struct GatewayAddress: Sendable, Hashable, CustomStringConvertible {
    package let host: String
    package let port: UInt16
    /// Where sessions are asked for ("Requesting an Apple Pay payment session").
    ///
    /// Stored, because every session needs it.
    package let paymentSessionURL: String

    /// Reads `https://host` or `https://host:port`, a final `/` allowed.
    ///
    /// - Throws: ``MerchantsError/badGateway(_:)`` with what is wrong.
    package init(_ url: String) throws(MerchantsError) {
        guard url.lowercased().hasPrefix("https://") else {
            throw .badGateway("it does not start with https://")
        }
        var rest = Substring(url.dropFirst("https://".count))
        if rest.hasSuffix("/") { rest.removeLast() }
        guard rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .badGateway("it has a blank, a control character or a letter outside ASCII")
        }
        for mark in "/\\?#@" where rest.contains(mark) {
            throw .badGateway("it has more than a host and a port (\(mark))")
        }
        var host = rest
        var port: UInt16 = 443
        // An IPv6 literal keeps its brackets; the port's colon stands after them.
        if let colon = rest.lastIndex(of: ":"), !rest[colon...].contains("]") {
            guard let number = UInt16(rest[rest.index(after: colon)...]), number > 0 else {
                throw .badGateway("its port is not a number from 1 to 65535")
            }
            port = number
            host = rest[..<colon]
        }
        guard !host.isEmpty, host.utf8.allSatisfy(Self.isHostByte) else {
            throw .badGateway("its host is not a host name or address")
        }
        self.init(host: host.lowercased(), port: port)
    }

    package init(builtInHost: String) {
        self.init(host: builtInHost, port: 443)
    }

    private init(host: String, port: UInt16) {
        self.host = host
        self.port = port
        paymentSessionURL =
            "\(Self.origin(host, port))/paymentservices/paymentSession"
    }

    private static func origin(_ host: String, _ port: UInt16) -> String {
        port == 443 ? "https://\(host)" : "https://\(host):\(port)"
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ":"):
            true
        default:
            false
        }
    }

    /// The address without a path; port 443 is left out.
    package var description: String { Self.origin(host, port) }
}
