import Glibc
import TestSupport
import Testing

/// A real Prometheus that scrapes a service and evaluates the rules that are shipped.
@Suite(.twoAtATime) struct PrometheusTests {
    @Test func `it scrapes, and has no trouble with any rule`() async throws {
        let lab = try await Lab()
        let shop = Shop()
        try await lab.register(shop)
        let id = try #require(
            try await lab.certify(shop, "merchant-identity", "&days=5")["id"].text)
        try await lab.home.must("certificate", "activate", id)
        let service = try await RunningService(lab.home)
        #expect(try await service.session(shop.order).status == 200)
        let folder = lab.home.folder
        folder.write(
            "prometheus.yml",
            Array(
                """
                global: {scrape_interval: 200ms, scrape_timeout: 200ms, evaluation_interval: 200ms}
                rule_files: [\(Binaries.root)/cron/purser.rules.yml]
                scrape_configs:
                  - job_name: purser
                    static_configs: [{targets: ["\(service.url.dropFirst("http://".count))"]}]

                """.utf8))
        let prometheus = try BackgroundProcess(
            "prometheus",
            [
                "--config.file", folder.file("prometheus.yml"), "--storage.tsdb.path",
                folder.file("series"), "--web.listen-address", "127.0.0.1:0",
            ], in: folder.path, name: "prometheus", environment: TestHome.environment)
        let url = try await address(of: prometheus)

        // Both alerts that are due in this home at once, and no trouble with any other rule.
        var rules: [JSON] = []
        let deadline = ContinuousClock.now + .seconds(60)
        var isFiring = false
        while !isFiring, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(200))
            let groups = try await HTTPReply.asking([url + "/api/v1/rules"]).json["data"]["groups"]
            rules = groups.elements.flatMap { $0["rules"].elements }
            isFiring =
                !rules.isEmpty && rules.allSatisfy { $0["health"] == "ok" }
                && rules.count { $0["state"] == "firing" } == 2
        }
        #expect(rules.count > 15)
        for rule in rules { #expect(rule["health"] == "ok", "\(rule)") }
        let firing = rules.filter { $0["state"] == "firing" }
        #expect(firing.map { $0["name"] } == ["PurserCertificateExpires", "PurserRenewalOverdue"])
        #expect(firing.first?["alerts"][0]["labels"]["severity"] == "critical")
        #expect(firing.first?["alerts"][0]["labels"]["merchant"] == .string(shop.merchant))

        let samples = try await HTTPReply.asking([
            "-G", url + "/api/v1/query", "--data-urlencode",
            "query=purser_sessions_total{outcome=\"ok\",environment=\"lab\"} and on () up == 1",
        ]).json["data"]["result"]
        #expect(samples[0]["value"][1] == "1", "\(samples)")
        prometheus.signal(SIGTERM)
        #expect(try await prometheus.wait(seconds: 30) == 0)
    }

    /// Where it listens, from its log.
    private func address(of process: BackgroundProcess) async throws -> String {
        var address: Substring?
        _ = try await BackgroundProcess.wait(seconds: 60) {
            address = process.errors.firstMatch(of: /msg="Listening on" address=(\S+)/)?.1
            return address != nil || process.ending != nil
        }
        return "http://\(try #require(address, "\(process.errors)"))"
    }
}
