import TestSupport
import Testing

/// Every awkwardness of the gateway, and what the checkout is told of it.
@Suite(.twoAtATime) struct RudenessTests {
    /// A rudeness, and what it must come to.
    private struct Case {
        let rudeness: String
        let status: Int
        /// nil for a session.
        let code: String?
        /// Requests that the gateway has answered, or has left unanswered.
        let requests: Int
        /// Tries, of which some may not have come as far as a request.
        let attempts: Int

        init(
            _ rudeness: String, _ status: Int, _ code: String? = nil, requests: Int = 1,
            attempts: Int? = nil
        ) {
            self.rudeness = rudeness
            self.status = status
            self.code = code
            self.requests = requests
            self.attempts = attempts ?? requests
        }

        init(
            _ act: String, _ when: String, _ status: Int, _ code: String? = nil, requests: Int = 1,
            attempts: Int? = nil
        ) {
            self.init(
                #"{"acts":{"\#(act)":"\#(when)"}}"#, status, code, requests: requests,
                attempts: attempts)
        }
    }

    private static let polite: [Case] = [
        Case(#"{"latencyMilliseconds":300}"#, 200),
        Case("chunk", "always", 200),
        // One retry, where the request failed before an answer or Apple failed.
        Case(#"{"status":500,"acts":{"answer-status":"next=1"}}"#, 200, requests: 2),
        Case(#"{"status":503,"acts":{"answer-status":"next=1"}}"#, 200, requests: 2),
        Case("close-before-answer", "next=1", 200, requests: 2),
        Case("reset-before-answer", "next=1", 200, requests: 2),
        Case("reset-on-accept", "next=1", 200, attempts: 2),
    ]

    private static let answers: [Case] = [
        Case(status(500), 502, "session.apple-failed", requests: 2),
        Case(status(503), 502, "session.apple-failed", requests: 2),
        Case(status(401), 502, "session.certificate-refused"),
        Case(status(403), 502, "session.certificate-refused"),
        Case(status(417), 502, "session.merchant-incomplete"),
        Case(status(400), 502, "session.apple-refused-request"),
        Case(status(404), 502, "session.apple-path-unknown"),
        Case(status(429), 503, "session.apple-throttled"),
        Case(status(204), 502, "session.apple-unexpected"),
        Case("redirect", "always", 502, "session.apple-redirected"),
        Case("malform", "always", 502, "session.apple-malformed"),
        Case("truncate", "always", 502, "session.apple-truncated"),
        Case("huge-body", "always", 502, "session.apple-oversized"),
        Case(
            #"{"acts":{"huge-body":"always","chunk":"always"}}"#, 502, "session.apple-oversized"),
    ]

    private static let connections: [Case] = [
        Case(
            "close-before-answer", "always", 502, "session.network-connection-broken", requests: 2),
        Case(
            "reset-before-answer", "always", 502, "session.network-connection-broken", requests: 2),
        Case("ignore-handshake", "always", 504, "session.network-connect-timed-out", requests: 0),
        Case("never-answer", "always", 504, "session.network-answer-timed-out"),
        Case(
            #"{"latencyMilliseconds":30000}"#, 504, "session.network-answer-timed-out", requests: 0),
        Case(certificate("untrusted"), 502, "session.network-gateway-untrusted", requests: 0),
        Case(certificate("expired"), 502, "session.network-gateway-expired", requests: 0),
        Case(certificate("wrong-name"), 502, "session.network-gateway-misnamed", requests: 0),
    ]

    private static let alerts: [Case] = [
        Case(alert(40), 502, "session.certificate-refused", requests: 0),
        Case(alert(42), 502, "session.certificate-refused", requests: 0),
        Case(alert(45), 502, "session.certificate-expired", requests: 0),
        Case(alert(46), 502, "session.certificate-refused", requests: 0),
        Case(alert(80), 502, "session.network-tls-failed", requests: 0),
        // Of a fifth in a row CircuitTests tell.
    ]

    private static func status(_ status: Int) -> String {
        #"{"status":\#(status),"acts":{"answer-status":"always"}}"#
    }

    private static func certificate(_ kind: String) -> String {
        #"{"serverCertificate":"\#(kind)"}"#
    }

    private static func alert(_ number: Int) -> String {
        #"{"alert":\#(number),"acts":{"refuse-client":"always"}}"#
    }

    @Test func `what the gateway answers is told by culprit, once or after one retry`() async throws
    {
        try await run(Self.polite + Self.answers)
    }

    @Test func `what happens to connections is told by culprit, within the budget`() async throws {
        try await run(Self.connections)
    }

    @Test(arguments: ["TLSv1.2", "TLSv1.3"])
    func `an alert about the client certificate is told whenever it comes`(
        version: String
    ) async throws {
        // A TLS session resumed after a good request is not verified again, so there is none before.
        try await run(Self.alerts, ["--newest-tls", version], recovering: false)
    }

    private func run(
        _ cases: [Case], _ flags: [String] = [], recovering: Bool = true
    ) async throws {
        let lab = try await Lab(flags)
        let shop = Shop()
        lab.home.configure("{session: {connectTimeoutSeconds: 2, totalTimeoutSeconds: 4}}")
        try await lab.open(shop)
        // One worker, so that the next request meets the connection that the last one left.
        let service = try await RunningService(
            lab.home, environment: ["PURSER_SERVE_WORKERS": "1"])
        for item in cases {
            let name = Comment(rawValue: item.rudeness)
            try await lab.apple.behave(item.rudeness)
            try await lab.apple.clearLog()
            let began = ContinuousClock.now
            let reply = try await service.session(shop.order)
            // A budget of 4 s; the rest is for a machine that is busy with other tests.
            #expect(ContinuousClock.now - began < .seconds(15), name)
            #expect(
                reply.status == item.status && reply.code == item.code,
                "\(name) \(reply.json["detail"])")
            if item.code != nil { Self.checkProblem(reply, item.rudeness) }
            // A late answer is logged when its time has come.
            #expect(try await lab.apple.requests().count == item.requests, name)
            guard recovering else { continue }
            // Afterwards all is well, and the next case starts without a connection.
            try await lab.apple.behave(#"{"acts":{"close-announced":"always"}}"#)
            #expect(try await service.session(shop.order).status == 200, name)
        }
        try await lab.apple.behave()
        #expect(try await service.session(shop.order).status == 200)
        let step = recovering ? 2 : 1
        let lines = try await service.requestLines(step * cases.count + 1)
        #expect(lines.count == step * cases.count + 1)
        for (index, item) in cases.enumerated() where lines.count > step * index {
            let line = lines[step * index]
            #expect(line["status"].number == item.status)
            #expect(line["code"].text == item.code)
            if item.code == nil { #expect(line["attempts"].number == item.attempts) }
        }
        #expect(try await service.stop() == 0)
    }

    private static func checkProblem(_ reply: HTTPReply, _ name: String) {
        #expect(reply.headers["content-type"] == "application/problem+json", "\(name)")
        #expect(reply.headers["cache-control"] == "no-store", "\(name)")
        #expect((reply.headers["retry-after"] != nil) == (reply.status == 503), "\(name)")
        #expect(reply.json["status"].number == reply.status, "\(name)")
        for key in ["type", "title", "detail", "remedy", "requestId"] {
            #expect(reply.json[key].text?.isEmpty == false, "\(name): \(key)")
        }
    }

    @Test(arguments: [
        #"{"acts":{"close-announced":"always"}}"#, #"{"acts":{"close-unannounced":"always"}}"#,
        #"{"idleCloseMilliseconds":1}"#, #"{"idleCloseMilliseconds":30}"#,
    ])
    func `a gateway that closes connections makes no request fail`(rudeness: String) async throws {
        let lab = try await Lab()
        let shop = Shop()
        try await lab.open(shop)
        let service = try await RunningService(lab.home)
        try await lab.apple.behave(rudeness)
        // One curl with one connection of its own: as fast as answers come, and with pauses.
        for pause in [[], ["--rate", "1200/m"]] {
            let told = try await tool(
                "curl",
                [
                    "-sS", "--noproxy", "*", "-o", "/dev/null", "-w", "%{http_code}\n", "-H",
                    "Content-Type: application/json", "-d", shop.order,
                ] + pause + ["\(service.url)/v1/merchant-sessions#[1-30]"])
            #expect(told.text == String(repeating: "200\n", count: 30))
        }
        #expect(try await service.stop() == 0)
    }

    @Test func `a gateway that resets every connection is told as a matter of the network`()
        async throws
    {
        let lab = try await Lab()
        let shop = Shop()
        try await lab.open(shop)
        try await lab.apple.behave(#"{"acts":{"reset-on-accept":"always"}}"#)
        let (status, code) = try await lab.home.refusal("session", shop.merchant, shop.domain)
        #expect(status == 69 && code == "session.network-unreachable")
    }

    @Test func `Apple's hashes are translated into merchants that the operator knows`()
        async throws
    {
        let lab = try await Lab(["--require-active-processing"])
        let shop = Shop()
        try await lab.register(shop)
        let id = try #require(try await lab.certify(shop)["id"].text)
        try await lab.home.must("certificate", "activate", id, "--accept-incomplete")
        let service = try await RunningService(lab.home)
        let incomplete = try await service.session(shop.order)
        #expect(incomplete.code == "session.merchant-incomplete")
        #expect(
            incomplete.json["detail"].text
                == "the merchant is not ready at Apple: merchantId=\(shop.merchant) not registered for service"
        )
        // A domain that is registered here and not at Apple.
        try await lab.home.must("domain", "add", shop.merchant, "new.example.com")
        let said =
            "Apple refused the domain: merchantId=\(shop.merchant) not registered for domain=new.example.com"
        let domain = try await lab.home.run("session", shop.merchant, "new.example.com")
        #expect(domain.status == 69)
        #expect(domain.errorText.contains("purser: error: \(said)\n"), "\(domain.errorText)")
        #expect(domain.errorText.contains("purser: hint: "))
        var reply = try await service.session(#"{"domain":"new.example.com"}"#)
        for _ in 0..<200 where reply.code == "session.domain-not-registered" {
            // The service has not followed yet.
            reply = try await service.session(#"{"domain":"new.example.com"}"#)
        }
        #expect(reply.status == 502 && reply.code == "session.domain-refused")
        #expect(reply.json["detail"] == .string(said))
    }

    @Test func `a certificate revoked at Apple is told, on kept connections and on new ones`()
        async throws
    {
        let lab = try await Lab()
        let shop = Shop()
        try await lab.register(shop)
        let credential = try await lab.certify(shop)
        try await lab.home.must("certificate", "activate", credential["id"].text ?? "")
        let service = try await RunningService(lab.home)
        #expect(try await service.session(shop.order).status == 200)
        try await lab.apple.must(
            "POST", "/revoke?serial=\(credential["serialNumber"].text ?? "")")
        for _ in 0..<2 {
            let reply = try await service.session(shop.order)
            #expect(reply.status == 502 && reply.code == "session.certificate-refused")
            try await lab.apple.behave(#"{"acts":{"close-announced":"always"}}"#)
        }
        let fresh = try await lab.home.refusal("session", shop.merchant, shop.domain)
        #expect(fresh.status == 69 && fresh.code == "session.certificate-refused")
    }
}
