import TestSupport

/// One merchant of a test.
struct Shop: Sendable {
    let merchant: String
    let domain: String

    init(_ name: String = "shop") {
        merchant = "merchant.com.example.\(name)"
        domain = "\(name).example.com"
    }

    /// The body of a request for a session.
    var order: String { "{\"merchant\":\"\(merchant)\",\"domain\":\"\(domain)\"}" }

    /// The same with further members, such as `"environment":"lab"`.
    func with(_ members: String) -> String { "\(order.dropLast()),\(members)}" }
}

/// A home, a stand-in for Apple, and the environment `lab` that leads from one to the other.
final class Lab: Sendable {
    let home: TestHome
    let apple: RunningSimulator

    init(_ flags: [String] = []) async throws {
        home = try await TestHome()
        apple = try await RunningSimulator(flags, in: home.folder)
        try await addEnvironment("lab", gateway: apple.gateway)
    }

    /// Makes a gateway of the stand-in known to the home.
    func addEnvironment(
        _ name: String, gateway: String, realm: String = "lab", gatewayCA: String? = nil
    ) async throws {
        try await home.must(
            [
                "environment", "add", name, "--realm", realm, "--gateway", gateway,
                "--gateway-ca", gatewayCA ?? apple.gatewayCA,
            ] + apple.anchorFlags)
    }

    /// Registers a shop at both ends; nothing is certified yet.
    func register(_ shop: Shop = Shop(), environments: [String] = ["lab"]) async throws {
        try await apple.register(shop.merchant, domains: [shop.domain])
        try await home.must(
            ["merchant", "add", shop.merchant, "--display-name", "Example \(shop.domain)"]
                + environments.flatMap { ["--environment", $0] })
        try await home.must("domain", "add", shop.merchant, shop.domain)
    }

    /// Requests a key, has it certified and imports the certificate; gives the credential.
    @discardableResult
    func certify(
        _ shop: Shop = Shop(), _ kind: String = "merchant-identity", _ extra: String = ""
    ) async throws -> JSON {
        let csr = try await home.must("certificate", "request", shop.merchant, kind)
        let certificate = try await apple.certify(csr, shop.merchant, kind, extra)
        return try await home.json(
            "certificate", "import", shop.merchant, "-", input: certificate)[0]
    }

    /// Certifies an identity and activates it, rehearsed; gives its identifier.
    @discardableResult
    func activate(_ shop: Shop = Shop()) async throws -> String {
        let id = try await certify(shop)["id"].text ?? ""
        try await home.must("certificate", "activate", id)
        return id
    }

    /// All of it: the shop is registered and its identity active.
    func open(_ shop: Shop = Shop()) async throws {
        try await register(shop)
        try await activate(shop)
    }
}
