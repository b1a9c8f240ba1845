/// An HTTP proxy that is asked to CONNECT to a gateway: `http://host:port` or `https://host:port`.
///
/// User names and passwords are refused: they would stand in argv, in the database and in logs.
package struct ProxyAddress: Sendable, Hashable, CustomStringConvertible {
    package let description: String
    package let host: String
    package let port: UInt16
    /// Whether TLS is spoken with the proxy itself.
    package let isSecure: Bool

    /// Checks the form.
    ///
    /// - Throws: ``MerchantsError/badProxy(_:)`` with what is wrong.
    package init(_ url: String) throws(MerchantsError) {
        for scheme in ["http://", "https://"] where url.lowercased().hasPrefix(scheme) {
            var rest = url.dropFirst(scheme.count)
            if rest.hasSuffix("/") { rest.removeLast() }
            let authority: Authority
            do throws(Authority.Malformed) {
                authority = try Authority(rest)
            } catch {
                throw .badProxy(error.what)
            }
            // A proxy has no port of its own that everybody would guess.
            guard let port = authority.port else { throw .badProxy("it has no port") }
            host = authority.host
            self.port = port
            isSecure = scheme == "https://"
            description = "\(scheme)\(authority.host):\(port)"
            return
        }
        throw .badProxy("it does not start with http:// or https://")
    }
}
