import TestSupport
import Testing

/// One merchant session, from the gateway to whoever asked.
@Suite(.twoAtATime) struct SessionTests {
    @Test func `curl gets Apple's own bytes over TCP and over the Unix socket`() async throws {
        let lab = try await Lab()
        let shop = Shop()
        try await lab.open(shop)
        // One worker, whose one connection serves both listeners.
        let service = try await RunningService(
            lab.home, environment: ["PURSER_SERVE_WORKERS": "1"])
        try await lab.apple.clearLog()
        var replies: [HTTPReply] = []
        for overSocket in [false, true] {
            let reply = try await service.session(shop.order, overSocket: overSocket)
            replies.append(reply)
            #expect(reply.status == 200)
            #expect(reply.headers["cache-control"] == "no-store")
            #expect(reply.headers["content-type"] == "application/json")
            #expect(reply.json["domainName"] == .string(shop.domain))
            #expect(reply.json["displayName"] == .string("Example \(shop.domain)"))
        }
        let requests = try await lab.apple.requests()
        #expect(requests.count == 2)
        for request in requests {
            #expect(request["clientUID"] == .string(shop.merchant))
            #expect(request["merchantIdentifier"] == .string(shop.merchant))
            #expect(request["path"] == "/paymentservices/paymentSession")
            #expect(request["serverName"] == "localhost")
        }
        // What the gateway sent is what came, to the byte.
        for (reply, request) in zip(replies, requests) {
            #expect(try await sha256(reply.body) == request["answerSHA256"].text)
        }
        // One connection, and yet two sessions: none is kept.
        #expect(requests[1]["connection"] == requests[0]["connection"])
        #expect(replies[0].json["nonce"] != replies[1].json["nonce"])
        let lines = try await service.requestLines(2)
        #expect(lines.map { $0["status"] } == [200, 200])
        #expect(lines.map { $0["peer"].text?.prefix(4) } == ["loop", "unix"])
        #expect(lines.allSatisfy { $0["merchant"] == .string(shop.merchant) })
        #expect(lines.map { $0["connectionReused"].bool } == [false, true])
    }

    @Test func `the command line gets the same bytes, with --json too`() async throws {
        let lab = try await Lab()
        let shop = Shop()
        try await lab.open(shop)
        try await lab.apple.clearLog()
        var printed: [[UInt8]] = []
        printed.append(try await lab.home.must("session", shop.merchant, shop.domain))
        printed.append(try await lab.home.must("session", shop.merchant, shop.domain, "--json"))
        let requests = try await lab.apple.requests()
        try #require(requests.count == 2)
        for (bytes, request) in zip(printed, requests) {
            #expect(try await sha256(bytes) == request["answerSHA256"].text)
        }
    }

    @Test func `what is unfinished here is told before anything leaves`() async throws {
        let lab = try await Lab()
        let (one, two) = (Shop("one"), Shop("two"))
        try await lab.home.must("merchant", "add", one.merchant, "--environment", "lab")
        try await lab.home.must("domain", "add", one.merchant, one.domain)
        let service = try await RunningService(lab.home)
        func code(_ body: String) async throws -> String {
            let reply = try await service.session(body)
            return "\(reply.status) \(reply.code ?? "")"
        }
        func soon(_ expected: String, _ body: String) async throws -> Bool {
            for _ in 0..<200 where try await code(body) == expected { return true }
            return false
        }
        #expect(try await code(one.order) == "409 session.no-display-name")
        try await lab.home.must("merchant", "set", one.merchant, "--display-name", "One")
        #expect(try await soon("409 session.no-active-identity", one.order))
        #expect(try await code(two.order) == "404 session.unknown-merchant")
        try await lab.register(two)
        try await lab.home.must("domain", "add", two.merchant, one.domain)
        #expect(
            try await soon("422 session.merchant-required", #"{"domain":"\#(one.domain)"}"#))
        #expect(
            try await code(#"{"domain":"other.example.com"}"#)
                == "422 session.domain-not-registered")
        let (status, unfinished) = try await lab.home.refusal("session", two.merchant, two.domain)
        #expect(status == 65 && unfinished == "session.no-active-identity")
        #expect(try await lab.apple.log().isEmpty)
    }

    @Test func `sqlite3 finds the database whole while the service runs`() async throws {
        let lab = try await Lab()
        let shop = Shop()
        try await lab.open(shop)
        let service = try await RunningService(lab.home)
        let processing = try await lab.certify(shop, "payment-processing")
        try await lab.home.must("certificate", "activated", try #require(processing["id"].text))
        try await lab.home.must("domain", "add", shop.merchant, "www.shop.example.com")
        try await lab.home.must("domain", "remove", shop.merchant, "www.shop.example.com")
        #expect(try await service.session(shop.order).status == 200)
        try await lab.activate(shop)
        let database = "\(lab.home.path)/purser.db"
        let checked = try await tool(
            "sqlite3", [database, "pragma integrity_check", "pragma foreign_key_check"])
        #expect(checked.text == "ok\n")
        let mode = try await tool("sqlite3", [database, "pragma journal_mode"])
        #expect(mode.text == "wal\n")
        #expect(try await service.session(shop.order).status == 200)
        #expect(try await service.stop() == 0)
        try await lab.home.must("audit", "verify")
        let again = try await tool("sqlite3", [database, "pragma integrity_check"])
        #expect(again.text == "ok\n")
    }
}

/// Lower-case hex, by `openssl`.
private func sha256(_ bytes: [UInt8]) async throws -> String {
    let digest = try await tool("openssl", ["dgst", "-sha256", "-r"], input: bytes)
    return String(digest.text.prefix(64))
}
