/// An HTTP proxy that is asked to CONNECT to a gateway: `http://host:port` or `https://host:port`.
///
/// User names and passwords are refused: they would stand in argv, in the database and in logs.
package struct ProxyAddress: Sendable, Hashable, CustomStringConvertible {
    package let description: String

    /// Checks the form.
    ///
    /// - Throws: ``MerchantsError/badProxy(_:)`` with what is wrong.
    package init(_ url: String) throws(MerchantsError) {
        for scheme in ["http://", "https://"] where url.lowercased().hasPrefix(scheme) {
            let rest = url.dropFirst(scheme.count)
            guard !rest.contains("@") else { throw .badProxy("it has a user name in it") }
            // The rules for host and port are those of a gateway.
            guard let address = try? GatewayAddress("https://\(rest)") else {
                throw .badProxy("what follows \(scheme) is not a host and a port")
            }
            guard rest.contains(":") else { throw .badProxy("it has no port") }
            description = "\(scheme)\(address.host):\(address.port)"
            return
        }
        throw .badProxy("it does not start with http:// or https://")
    }
}
