import Database
import Issuance
import Merchants

/// `purser environment set`.
enum EnvironmentSetCommand {
    static let proxy = Option(
        "proxy", "URL|none", "the HTTP proxy to reach the gateway through, or none",
        isRequired: true)

    static let verb = Verb(
        "environment", "set", summary: "set the proxy that a gateway is reached through",
        discussion: [
            "Apple's four can be set like those that were added. A running service follows within a "
                + "second; the proxy sees where a connection goes and nothing of what is said there. "
                + "Variables such as HTTPS_PROXY are never looked at."
        ],
        arguments: [EnvironmentRemoveCommand.name], options: [proxy],
        examples: [
            Example(
                "purser environment set production --proxy http://proxy.example:3128",
                "go out through a proxy")
        ],
        needs: .home, isAct: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        let name = try EnvironmentName(invocation[EnvironmentRemoveCommand.name])
        let text = invocation.required(proxy)
        let address = text == "none" ? nil : try ProxyAddress(text).description
        let home = try await invocation.openHome(.readWrite)
        let (environment, changed) = try await home.setProxy(address, of: name)
        try invocation.print(EnvironmentReport(environment).after(changed ? .changed : .unchanged))
    }
}
