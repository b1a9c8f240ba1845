import Clocks
import PKI
import Secrets
import TestSupport
import Testing

/// Domains' sites, looked at from outside.
@Suite(.twoAtATime, .enabled(if: Internet.isAllowed, "needs a network namespace"))
struct SiteTests {
    private static let merchant = "merchant.com.example.shop"
    private static let paths = [
        "/.well-known/apple-developer-merchantid-domain-association",
        "/.well-known/apple-developer-merchantid-domain-association.txt",
    ]

    private let pki: TestPKI
    private let home: TestHome
    private var internet: Internet

    init() async throws {
        pki = try TestPKI(now: SystemClock().now)
        home = try await TestHome()
        internet = Internet(
            key: try TestPKI.sharedKey(.ecP256).pkcs8PEM().withUnsafeBytes { Array($0) })
        let root = pki.identityRoot.certificate.pem + pki.processingRoot.certificate.pem
        let anchors = home.folder.write("roots.pem", Array(root.utf8))
        try await home.must(
            "environment", "add", "lab", "--gateway", "https://localhost:1", "--gateway-ca",
            anchors, "--apple-root", anchors)
        try await home.must(
            "merchant", "add", Self.merchant, "--environment", "lab", "--team", "TEAM123456")
    }

    /// A certificate for `name`, with the intermediate's where it is under one.
    private func chain(
        _ name: String, days: Int64 = 90, isComplete: Bool = true
    ) throws -> String {
        let key = try TestPKI.sharedKey(.ecP256).publicKey
        let leaf = try pki.server(
            names: [.dns(name)], key: key, days: days, under: pki.identityIntermediate)
        return leaf.pem + (isComplete ? pki.identityIntermediate.certificate.pem : "")
    }

    private func add(_ domain: String, _ file: [UInt8]?) async throws {
        var words = ["domain", "add", Self.merchant, domain]
        if let file { words += ["--association-file", home.folder.write("association", file)] }
        try await home.must(words)
    }

    /// A site that serves `body` under both names.
    private func site(_ name: String, _ body: [UInt8]) throws -> Internet.Site {
        var site = Internet.Site(chain: try chain(name))
        for path in Self.paths { site.answers[path] = .init(body: Base64.encode(body)) }
        return site
    }

    @Test func `each fault of a site is told from the others, with what to do`() async throws {
        var internet = internet
        var expected: [String: String] = [:]
        /// A site with a kept file that it serves, but for what `change` does to it.
        func make(
            _ label: String, _ outcome: String, isKept: Bool = true,
            _ change: (inout Internet.Site, String) throws -> Void = { _, _ in }
        ) async throws {
            let name = "\(label).example.com"
            let file = try pki.portalFile(for: name)
            try await add(name, isKept ? file : nil)
            var site = try site(name, file)
            try change(&site, name)
            internet.sites[name] = site
            expected[name] = outcome
        }
        let other = Base64.encode(try pki.portalFile(for: "elsewhere.example.com"))
        try await make("right", "served")
        try await make("one", "served") { site, _ in site.answers[Self.paths[1]] = nil }
        try await make("neither", "absent") { site, _ in site.answers = [:] }
        try await make("moved", "redirected") { site, name in
            site.answers[Self.paths[1]] = .init(
                status: 301, location: "https://www.\(name)/\r\n".filter { !$0.isNewline })
        }
        try await make("ill", "wrong-status") { site, _ in
            site.answers[Self.paths[0]] = .init(status: 503)
        }
        try await make("changed", "other-bytes") { site, _ in
            for path in Self.paths { site.answers[path]?.body = other }
        }
        try await make("unkept", "served", isKept: false)
        try await make("strange", "wrong-file", isKept: false) { site, _ in
            for path in Self.paths { site.answers[path]?.body = other }
        }
        try await make("large", "wrong-file", isKept: false) { site, _ in
            let body = Base64.encode([UInt8](repeating: 65, count: 100_000))
            for path in Self.paths { site.answers[path]?.body = body }
        }
        try await make("chainless", "incomplete-chain") { site, name in
            site.chain = try chain(name, isComplete: false)
        }
        try await make("late", "certificate-out-of-date") { site, name in
            site.chain = try chain(name, days: -3)
        }
        try await make("misnamed", "wrong-name") { site, _ in
            site.chain = try chain("right.example.com")
        }
        try await make("own", "untrusted") { site, name in
            site.chain =
                try pki.server(
                    names: [.dns(name)], key: TestPKI.sharedKey(.ecP256).publicKey,
                    under: pki.stranger
                ).pem + pki.stranger.certificate.pem
        }
        try await make("old", "no-tls") { site, _ in site.isOld = true }
        try await make("soon", "served") { site, name in site.chain = try chain(name, days: 6) }
        try await add("nowhere.example.com", nil)
        expected["nowhere.example.com"] = "unreachable"

        let purser = [Binaries.purser] + home.flags
        let outcomes = try await internet.run([
            purser + ["domain", "check", "--json"], purser + ["domain", "check", Self.merchant],
            purser + ["watch", "--once"], purser + ["check", "--json"],
            purser + ["explain", Self.merchant],
        ])
        #expect(outcomes.map(\.status) == [69, 69, 0, 2, 0], "\(outcomes.map(\.errors))")
        let report = try JSON(Array(outcomes[0].output.utf8))
        var found: [String: String] = [:]
        var sites: [String: JSON] = [:]
        for site in report.elements {
            let name = site["domain"].text ?? ""
            found[name] = site["outcome"].text
            sites[name] = site
            #expect((site["remedy"] == .null) == (site["outcome"] == "served"), "\(site)")
        }
        #expect(found == expected)
        let right = try #require(sites["right.example.com"])
        #expect(right["tlsVersion"] == "TLSv1.3" && right["address"] == "127.0.0.1")
        #expect(right["rechecks"].elements.count == 3 && right["fileKept"].bool == true)
        #expect(sites["soon.example.com"]?["warnings"].elements.count == 1)
        #expect(sites["unkept.example.com"]?["fileKept"].bool == false)
        #expect(sites["moved.example.com"]?["paths"][1]["status"].number == 301)
        #expect(
            sites["chainless.example.com"]?["summary"].text?.contains("Test Worldwide") == true)
        #expect(outcomes[1].output.contains("Apple looks again:"))

        // What the watch has seen, the policies judge: what is out of reach only for a moment is no
        // finding yet.
        let findings = try JSON(Array(outcomes[3].output.utf8))["findings"].elements
        let wrong = findings.filter { $0["policy"] == "domain-file" }
        let faults = expected.filter { $0.value != "served" && $0.value != "unreachable" }
        #expect(wrong.count == faults.count, "\(findings)")
        #expect(findings.filter { $0["policy"] == "site-expiry" }.count == 2)
        #expect(outcomes[4].output.contains("does its site serve the association file? ok:"))
    }
}
