import Clocks
import TestSupport
import Testing

/// The reverse proxies of README.md, each with the configuration that stands there.
@Suite(.twoAtATime) struct ReverseProxyTests {
    @Test(.enabled(if: ReverseProxy.areInstalled, "nginx, caddy and haproxy are not all installed"))
    func `a checkout with a token is let through, and nothing else is open`() async throws {
        let lab = try await Lab()
        let shop = Shop()
        try await lab.open(shop)
        let tokens = Tokens(
            checkout: try await token(lab.home, "--role", "checkout"),
            bound: try await token(lab.home, "--role", "checkout", "--network", "127.0.0.2/32"),
            auditor: try await token(lab.home, "--role", "auditor"))
        let file = try TestPKI(now: SystemClock().now).portalFile(
            for: "pay.example.com", lineEnd: "\r\n")
        let merchant = "merchant.com.example.files"
        try await lab.home.must("merchant", "add", merchant)
        try await lab.home.must(
            "domain", "add", merchant, "pay.example.com", "--association-file",
            lab.home.folder.write("association", file))
        lab.home.configure(try trust())
        let service = try await RunningService(lab.home)
        let certificate = try ServerCertificate(names: "DNS:pay.example.com,DNS:shop.example.com")
        let upstream = String(service.url.dropFirst("http://".count))
        let proxies = try ReverseProxy.Make.allCases.map {
            try ReverseProxy($0, before: upstream, certificate: certificate, in: lab.home.folder)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for proxy in proxies {
                group.addTask {
                    try #require(try await proxy.isUp(), "\(proxy.errors)")
                    try await checkLarge(through: proxy)
                    try await checkSessions(through: proxy, shop, tokens)
                    try await checkNetworks(through: proxy, tokens)
                    try await checkClosed(through: proxy, tokens)
                    try await checkAssociationFile(through: proxy, shop, file)
                }
            }
            try await group.waitForAll()
        }
        #expect(try await service.stop() == 0)
    }

    private struct Tokens: Sendable {
        let checkout: String
        /// For 127.0.0.2 alone.
        let bound: String
        let auditor: String
    }

    private func token(_ home: TestHome, _ flags: String...) async throws -> String {
        let made = try await home.must(["api-token", "create"] + flags)
        return String(decoding: made, as: UTF8.self).filter { !$0.isWhitespace }
    }

    /// The settings that README.md gives beside the proxies.
    private func trust() throws -> String {
        let readme = try ForeignProcess.run("cat", ["\(Binaries.root)/README.md"]).text
        let line = readme.split(separator: "\n").first {
            $0.hasPrefix("{ serve: { trustedProxies:")
        }
        return String(try #require(line))
    }

    private static let sessions = "/v1/merchant-sessions"
    private static let strange = Array(#"{"domain":"elsewhere.example.com"}"#.utf8)
    /// The doorkeeper has let it in, and there is no such domain.
    private static let heard = "session.domain-not-registered"

    private func checkSessions(
        through proxy: ReverseProxy, _ shop: Shop, _ tokens: Tokens
    ) async throws {
        let order = Array(shop.order.utf8)
        // Of two services one is down: whoever cannot be connected to has been asked for nothing.
        for _ in 0..<2 {
            let reply = try await proxy.ask(Self.sessions, token: tokens.checkout, body: order)
            #expect(reply.status == 200, "\(proxy.make): \(reply.json) \(proxy.errors)")
            #expect(reply.json["domainName"] == .string(shop.domain))
            #expect(reply.headers["cache-control"] == "no-store")
        }
        for (token, code) in [
            (nil, "access.token-required"), ("pt_000000000000_x", "access.token-unknown"),
            (tokens.auditor, "access.role-missing"),
        ] {
            let reply = try await proxy.ask(Self.sessions, token: token, body: order)
            #expect(reply.code == code, "\(proxy.make): \(reply.json)")
            #expect(reply.status == (code == "access.role-missing" ? 403 : 401))
        }
    }

    /// Bodies that are too long, by a caller without a token, are no reason to leave a service alone.
    private func checkLarge(through proxy: ReverseProxy) async throws {
        for headers in [[], [], ["Transfer-Encoding: chunked"]] {
            let large = try await proxy.ask(
                Self.sessions, headers: headers, body: Array(repeating: 0x20, count: 20_000))
            // Caddy notices while it passes the body on and calls that a bad gateway; of a body that
            // tells no length it passes on the beginning.
            let allowed = proxy.make == .caddyfile ? [413, 502, 401] : [413]
            #expect(allowed.contains(large.status), "\(proxy.make) \(headers): \(large.status)")
        }
    }

    private func checkNetworks(through proxy: ReverseProxy, _ tokens: Tokens) async throws {
        let forged = [
            "X-Forwarded-For: 127.0.0.2", "Forwarded: for=127.0.0.2", "X-Real-IP: 127.0.0.2",
        ]
        for (source, headers, code) in [
            ("127.0.0.2", [], Self.heard),
            ("127.0.0.2", ["X-Forwarded-For: 127.0.0.9"], Self.heard),
            ("127.0.0.3", forged, "access.foreign-network"),
            ("127.0.0.3", ["X-Forwarded-For: 127.0.0.2, 127.0.0.1"], "access.foreign-network"),
        ] {
            let reply = try await proxy.ask(
                Self.sessions, from: source, token: tokens.bound, headers: headers,
                body: Self.strange)
            #expect(reply.code == code, "\(proxy.make) \(source) \(headers): \(reply.json)")
        }
    }

    /// The file comes as it is under both names, for everybody, by the Host.
    private func checkAssociationFile(
        through proxy: ReverseProxy, _ shop: Shop, _ file: [UInt8]
    ) async throws {
        let path = "/.well-known/apple-developer-merchantid-domain-association"
        for path in [path, path + ".txt"] {
            let reply = try await proxy.ask(path)
            #expect(reply.status == 200 && reply.body == file, "\(proxy.make) \(reply.status)")
            // Another shop has none.
            #expect(try await proxy.ask(path, host: shop.domain).status == 404)
        }
        let other = try await proxy.ask(path + ".html", host: shop.domain)
        #expect(other.status == 404 && other.headers["x-request-id"] == nil, "\(proxy.make)")
    }

    private func checkClosed(through proxy: ReverseProxy, _ tokens: Tokens) async throws {
        for path in [
            "/metrics", "/readyz", "/v1/merchants", "//metrics", "/%6detrics",
            "/v1/merchant-sessions/../../metrics",
        ] {
            let reply = try await proxy.ask(path, token: tokens.auditor)
            #expect(
                reply.status == 404 || reply.status == 400, "\(proxy.make) \(path): \(reply.status)"
            )
            // The proxy's own answer: it has not reached the service.
            #expect(
                reply.code == nil && reply.headers["x-request-id"] == nil, "\(proxy.make) \(path)")
        }
    }
}
