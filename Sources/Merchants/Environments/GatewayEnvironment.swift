/// One gateway of a realm, with how to reach and trust it.
package struct GatewayEnvironment: Sendable, Hashable {
    package let name: EnvironmentName
    package let realm: RealmName
    package let gateway: GatewayAddress
    /// The PEM bundle that the gateway's own certificate must verify to; nil for the system's.
    package let gatewayCA: String?
    /// The HTTP proxy to send CONNECT to; nil for a direct connection.
    package let proxy: String?
    /// Whether it is one of Apple's four, which cannot be removed.
    package let isBuiltIn: Bool

    package init(
        name: EnvironmentName, realm: RealmName, gateway: GatewayAddress, gatewayCA: String?,
        proxy: String?, isBuiltIn: Bool
    ) {
        self.name = name
        self.realm = realm
        self.gateway = gateway
        self.gatewayCA = gatewayCA
        self.proxy = proxy
        self.isBuiltIn = isBuiltIn
    }

    /// Apple's four gateways ("Setting up your server"); production and sandbox differ by host only.
    package static let builtIn: [GatewayEnvironment] = [
        apple(.production, "apple-pay-gateway.apple.com"),
        apple(.productionChina, "cn-apple-pay-gateway.apple.com"),
        apple(.sandbox, "apple-pay-gateway-cert.apple.com"),
        apple(.sandboxChina, "cn-apple-pay-gateway-cert.apple.com"),
    ]

    /// The same gateway, reached through another proxy, or directly.
    package func through(proxy: String?) -> GatewayEnvironment {
        GatewayEnvironment(
            name: name, realm: realm, gateway: gateway, gatewayCA: gatewayCA, proxy: proxy,
            isBuiltIn: isBuiltIn)
    }

    private static func apple(_ name: EnvironmentName, _ host: String) -> GatewayEnvironment {
        GatewayEnvironment(
            name: name, realm: .apple, gateway: GatewayAddress(builtInHost: host), gatewayCA: nil,
            proxy: nil, isBuiltIn: true)
    }
}
