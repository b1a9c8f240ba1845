import Database
import Issuance
import Merchants

/// `purser environment add`.
enum EnvironmentAddCommand {
    static let name = Argument("NAME", "what to call it: lower-case letters, digits, hyphens")
    static let gateway = Option(
        "gateway", "URL", "the gateway's address: https://host or https://host:port",
        isRequired: true)
    static let realm = Option(
        "realm", "NAME", "the realm it belongs to (default: one of its own name)")
    static let gatewayCA = Option(
        "gateway-ca", "FILE",
        "PEM certificates that the gateway must verify to (default: the system's)",
        kind: .file)
    static let appleRoot = Option(
        "apple-root", "FILE", "a root that the realm's merchant certificates come from, PEM or DER",
        kind: .file, isRepeated: true)
    static let proxy = Option("proxy", "URL", "the HTTP proxy to reach the gateway through")

    static let verb = Verb(
        "environment", "add", summary: "add a gateway that is not Apple's, such as a test stand-in",
        discussion: [
            "Apple's four gateways are built in: production, production-cn, sandbox, sandbox-cn. The "
                + "files named are copied into the home."
        ],
        arguments: [name], options: [gateway, realm, gatewayCA, appleRoot, proxy],
        examples: [
            Example(
                "purser environment add lab --gateway https://localhost:8443 --gateway-ca ca.pem",
                "add a stand-in on this machine")
        ],
        needs: .home, isAct: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        let name = try EnvironmentName(invocation[name])
        let gateway = try GatewayAddress(invocation.required(gateway))
        let proxy = try invocation[proxy].map { try ProxyAddress($0).description }
        let bundle = try await invocation.contents(of: gatewayCA, limit: 1 << 20)
        let roots = try await invocation.allContents(of: appleRoot, limit: 1 << 20)
        let environment = GatewayEnvironment(
            name: name, realm: try RealmName(invocation[realm] ?? name.text), gateway: gateway,
            gatewayCA: nil, proxy: proxy, isBuiltIn: false)
        let home = try await invocation.openHome(.readWrite)
        try await home.addEnvironment(environment, gatewayCA: bundle, roots: roots)
        try invocation.print(EnvironmentReport(environment).after(.added))
    }
}
