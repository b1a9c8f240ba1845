import Database
import Issuance
import Merchants

/// `purser environment set`.
enum EnvironmentSetCommand {
    static let gateway = Option(
        "gateway", "URL", "another address of the gateway: https://host or https://host:port")
    static let proxy = Option(
        "proxy", "URL|none", "the HTTP proxy to reach the gateway through, or none")

    static let verb = Verb(
        "environment", "set", summary: "change how a gateway is reached and trusted",
        discussion: [
            "Of Apple's four only the proxy can be set; of those that were added the address and the "
                + "roots, too: --gateway-ca replaces those of the gateway, --apple-root adds one to those "
                + "of the realm. A running service follows within a second.",
            "The proxy sees where a connection goes and nothing of what is said there. Variables such as "
                + "HTTPS_PROXY are never looked at.",
        ],
        arguments: [EnvironmentRemoveCommand.name],
        options: [
            gateway, EnvironmentAddCommand.gatewayCA, EnvironmentAddCommand.appleRoot, proxy,
        ],
        examples: [
            Example(
                "purser environment set production --proxy http://proxy.example:3128",
                "go out through a proxy"),
            Example(
                "purser environment set lab --apple-root processing-root.pem",
                "trust another root of a stand-in"),
        ],
        needs: .home, isAct: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        let name = try EnvironmentName(invocation[EnvironmentRemoveCommand.name])
        let options = [
            gateway, EnvironmentAddCommand.gatewayCA, EnvironmentAddCommand.appleRoot, proxy,
        ]
        guard options.contains(where: { invocation.isSet($0) }) else {
            throw CommandLineError.missingFlag(
                "what to change", usage: "purser environment set NAME --proxy URL")
        }
        var change = EnvironmentChange()
        change.gateway = try invocation[gateway].map { try GatewayAddress($0) }
        change.proxy = try invocation[proxy].map { text in
            text == "none" ? .none : .through(try ProxyAddress(text).description)
        }
        change.gatewayCA = try await invocation.contents(
            of: EnvironmentAddCommand.gatewayCA, limit: 1 << 20)
        change.roots = try await invocation.allContents(
            of: EnvironmentAddCommand.appleRoot, limit: 1 << 20)
        let home = try await invocation.openHome(.readWrite)
        let (environment, changed) = try await home.changeEnvironment(name, change)
        try invocation.print(EnvironmentReport(environment).after(changed ? .changed : .unchanged))
    }
}
