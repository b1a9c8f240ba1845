/// The scheme, host and port of a payment-services gateway: `https://host[:port]`, nothing else.
///
/// A gateway is where Purser speaks to, so its form is checked once, here: https alone, no user
/// information, path, query or fragment, host and port by ``Authority``.
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
        do throws(Authority.Malformed) {
            let authority = try Authority(rest)
            self.init(host: authority.host, port: authority.port ?? 443)
        } catch {
            throw .badGateway(error.what)
        }
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

    /// The address without a path; port 443 is left out.
    package var description: String { Self.origin(host, port) }
}
