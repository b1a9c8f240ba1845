import Merchants

/// The one rule for a `validationURL`: exactly the scheme, host and port of a gateway, one of
/// Apple's two paths, and nothing else ("Requesting an Apple Pay payment session").
///
/// It is compared as text against what may stand there, not parsed: a parser's idea of a URL is
/// what attacks are made of.
enum ValidationURL {
    static let paths = ["/paymentservices/startSession", "/paymentservices/paymentSession"]

    /// The environment of `environments` whose gateway `url` names; nil when it names none.
    static func environment(
        of url: String, among environments: [GatewayEnvironment]
    ) -> GatewayEnvironment? {
        guard url.utf8.count <= 512 else { return nil }
        return environments.first { environment in
            let gateway = environment.gateway
            var origins = ["https://\(gateway.host):\(gateway.port)"]
            if gateway.port == 443 { origins.append("https://\(gateway.host)") }
            return origins.contains { origin in
                paths.contains { sameBytes(url, origin + $0, foldingFirst: origin.utf8.count) }
            }
        }
    }

    /// Equality of bytes; scheme and host, the first `count` of them, without regard to case.
    ///
    /// Swift's String compares by canonical equivalence, which is not what a wire does.
    private static func sameBytes(_ given: String, _ wanted: String, foldingFirst count: Int)
        -> Bool
    {
        guard given.utf8.count == wanted.utf8.count else { return false }
        return zip(given.utf8, wanted.utf8).enumerated().allSatisfy { index, pair in
            let isUpper = pair.0 >= UInt8(ascii: "A") && pair.0 <= UInt8(ascii: "Z")
            return (index < count && isUpper ? pair.0 | 0x20 : pair.0) == pair.1
        }
    }
}
