import TestSupport
import Testing

/// Which gateway a merchant reaches, and which it never does.
@Suite(.twoAtATime) struct EnvironmentTests {
    @Test func `what import says to do next can be pasted`() async throws {
        let lab = try await Lab()
        let shop = Shop()
        try await lab.addEnvironment("lab-sandbox", gateway: lab.apple.sandboxGateway)
        try await lab.register(shop, environments: ["lab", "lab-sandbox"])
        let kind = "merchant-identity"
        let csr = try await lab.home.must("certificate", "request", shop.merchant, kind)
        let certificate = try await lab.apple.certify(csr, shop.merchant, kind, "")
        let told = try await lab.home.must(
            "certificate", "import", shop.merchant, "-", input: certificate)
        let next = try #require(
            String(decoding: told, as: UTF8.self).split(separator: "\n").last)
        #expect(next.hasSuffix(" --environment lab # or lab-sandbox"))
        #expect(next.hasPrefix("next: purser certificate activate "))
        let setup =
            "purser() { '\(Binaries.purser)' \(lab.home.flags.joined(separator: " ")) \"$@\"; }\n"
        let pasted = try await ForeignProcess.runBeside(
            "sh", ["-c", setup + next.dropFirst("next: ".count)])
        #expect(pasted.status == 0 && pasted.text.contains(" active, "), "\(pasted.errorText)")
    }

    @Test func `the same credential serves the gateway that is named, in production and sandbox`()
        async throws
    {
        let lab = try await Lab()
        let shop = Shop()
        try await lab.addEnvironment("lab-sandbox", gateway: lab.apple.sandboxGateway)
        try await lab.register(shop, environments: ["lab", "lab-sandbox"])
        let credential = try await lab.certify(shop)
        let id = try #require(credential["id"].text)
        // Two candidates and no choice: refused, and they are listed.
        let unsaid = try await lab.home.refusal("certificate", "activate", id)
        #expect(unsaid.code == "session.environment-required")
        let hints = try await lab.home.run("certificate", "activate", id).hints
        #expect(hints == ["name one of them with --environment NAME"])
        try await lab.home.must("certificate", "activate", id, "--environment", "lab-sandbox")
        try await lab.apple.clearLog()

        let service = try await RunningService(lab.home)
        let open = try await service.session(shop.order)
        #expect(open.status == 422 && open.code == "session.environment-required")
        #expect(open.json["detail"].text?.contains("lab, lab-sandbox") == true)
        #expect(open.json["remedy"] == "name one of them as \"environment\"")
        #expect(try await lab.apple.log().isEmpty)

        for (order, gateway) in [
            (#""environment":"lab""#, "production"),
            (#""environment":"lab-sandbox""#, "sandbox"),
            (validationURL(lab.apple.gateway, "startSession"), "production"),
            (validationURL(lab.apple.sandboxGateway, "startSession"), "sandbox"),
            (validationURL(lab.apple.sandboxGateway, "paymentSession"), "sandbox"),
        ] {
            try await lab.apple.clearLog()
            let reply = try await service.session(shop.with(order))
            #expect(reply.status == 200, "\(order)")
            let requests = try await lab.apple.log()
            #expect(requests.map { $0["gateway"] } == [.string(gateway)], "\(order)")
            // A caller's URL selects the gateway; the request goes to paymentSession all the same.
            #expect(requests[0]["path"] == "/paymentservices/paymentSession")
            #expect(requests[0]["clientSerialNumber"] == credential["serialNumber"].upper)
        }
        try await lab.apple.clearLog()
        try await lab.home.must(
            "session", shop.merchant, shop.domain, "--environment", "lab-sandbox")
        #expect(try await lab.apple.log().map { $0["gateway"] } == ["sandbox"])
        let disagreeing = try await service.session(
            shop.with(
                validationURL(lab.apple.gateway, "startSession") + #","environment":"lab-sandbox""#)
        )
        #expect(disagreeing.code == "session.environments-disagree")
    }

    @Test func `a merchant allowed in production alone never reaches the sandbox`() async throws {
        let lab = try await Lab()
        let shop = Shop()
        try await lab.addEnvironment("lab-sandbox", gateway: lab.apple.sandboxGateway)
        try await lab.open(shop)
        try await lab.apple.clearLog()
        let service = try await RunningService(lab.home)
        let named = try await service.session(shop.with(#""environment":"lab-sandbox""#))
        #expect(named.status == 403 && named.code == "session.environment-not-allowed")
        let url = validationURL(lab.apple.sandboxGateway, "startSession")
        for order in [url, #""environment":"lab","# + url] {
            let pointed = try await service.session(shop.with(order))
            #expect(pointed.status == 422 && pointed.code == "session.validation-url")
        }
        let typed = try await lab.home.refusal(
            "session", shop.merchant, shop.domain, "--environment", "lab-sandbox")
        #expect(typed.status == 77 && typed.code == "session.environment-not-allowed")
        let rehearsed = try await lab.home.refusal(
            "certificate", "rehearse", try await lab.certify(shop)["id"].text ?? "",
            "--environment", "lab-sandbox")
        #expect(rehearsed.status == 77 && rehearsed.code == "session.environment-not-allowed")
        // Nothing arrived at either gateway, not even a handshake.
        #expect(try await lab.apple.log().isEmpty)
        #expect(try await service.session(shop.order).status == 200)
        #expect(try await lab.apple.log().map { $0["gateway"] } == ["production"])
    }

    @Test func `Apple's own sandbox is refused to a production merchant before anything leaves`()
        async throws
    {
        let lab = try await Lab()
        let shop = Shop()
        try await lab.apple.register(shop.merchant, domains: [])
        try await lab.home.must("merchant", "add", shop.merchant, "--display-name", "Shop")
        try await lab.home.must("domain", "add", shop.merchant, shop.domain)
        let id = try #require(try await lab.certify(shop)["id"].text)
        try await lab.home.must("certificate", "activate", id, "--without-rehearsal")
        let service = try await RunningService(lab.home)
        for name in ["sandbox", "sandbox-cn", "production-cn", "lab"] {
            let reply = try await service.session(shop.with(#""environment":"\#(name)""#))
            #expect(reply.status == 403 && reply.code == "session.environment-not-allowed")
        }
        for host in [
            "apple-pay-gateway-cert.apple.com", "cn-apple-pay-gateway-cert.apple.com",
            "cn-apple-pay-gateway.apple.com", "apple-pay-gateway.apple.com.example.com",
            "apple-pay-gateway-nc-pod1.apple.com",
        ] {
            let reply = try await service.session(
                shop.with(validationURL("https://\(host)", "startSession")))
            #expect(reply.status == 422 && reply.code == "session.validation-url", "\(host)")
        }
        // A merchant's environments are of one realm: no certificate of Apple's goes to a stand-in.
        let mixed = try await lab.home.refusal(
            "merchant", "set", shop.merchant, "--environment", "production", "--environment", "lab")
        #expect(mixed.status == 65 && mixed.code != nil)
        #expect(try await lab.apple.log().isEmpty)
    }

    private func validationURL(_ gateway: String, _ path: String) -> String {
        #""validationURL":"\#(gateway)/paymentservices/\#(path)""#
    }
}

extension JSON {
    /// A string in upper case, as the stand-in writes serial numbers.
    var upper: JSON { .string(text?.uppercased() ?? "") }
}
