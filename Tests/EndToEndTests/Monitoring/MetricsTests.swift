import Glibc
import TestSupport
import Testing

/// `/metrics` of a running service, as Prometheus scrapes it.
@Suite(.twoAtATime) struct MetricsTests {
    private func scrape(_ service: RunningService) async throws -> [String: Double] {
        let reply = try await service.get("/metrics")
        try #require(reply.status == 200)
        #expect(reply.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
        var samples: [String: Double] = [:]
        for line in String(decoding: reply.body, as: UTF8.self).split(separator: "\n")
        where !line.hasPrefix("#") {
            let space = try #require(line.lastIndex(of: " "))
            let name = String(line[..<space])
            #expect(samples[name] == nil, "\(name) stands there twice")
            samples[name] = Double(String(line[line.index(after: space)...])) ?? .nan
        }
        return samples
    }

    @Test func `promtool accepts a scrape of a service that has made sessions`() async throws {
        let lab = try await Lab()
        let shop = Shop()
        try await lab.open(shop)
        try await lab.certify(shop, "payment-processing")
        let service = try await RunningService(lab.home)
        let before = try await scrape(service)
        #expect(before["purser_sessions_total{outcome=\"ok\",code=\"\",environment=\"\"}"] == 0)
        for _ in 0..<3 { #expect(try await service.session(shop.order).status == 200) }
        #expect(try await service.session("{\"domain\":\"other.example.com\"}").status == 422)
        try await lab.apple.behave("{\"acts\":{\"answer-status\":\"next=1\"},\"status\":403}")
        #expect(try await service.session(shop.order).status == 502)
        let reply = try await service.get("/metrics")
        let judged = try await ForeignProcess.runBeside(
            "promtool", ["check", "metrics"], input: reply.body)
        #expect(judged.status == 0, "\(judged.text)\(judged.errorText)")
        #expect(judged.text + judged.errorText == "")

        let samples = try await scrape(service)
        #expect(
            samples["purser_sessions_total{outcome=\"ok\",code=\"\",environment=\"lab\"}"] == 3)
        let refused = samples.filter {
            $0.key.hasPrefix("purser_sessions_total{outcome=") && !$0.key.contains("\"ok\"")
        }
        #expect(refused.values.reduce(0, +) == 2, "\(refused)")
        #expect(samples["purser_session_duration_seconds_count{outcome=\"ok\"}"] == 3)
        #expect(samples["purser_ready"] == 1 && samples["purser_database_readable"] == 1)
        #expect(samples["purser_merchants"] == 1)
        #expect(samples["purser_pool_connections{state=\"busy\"}"] == 0)
        #expect((samples["purser_pool_connections{state=\"idle\"}"] ?? 0) >= 1)
        let ends = samples.filter { $0.key.hasPrefix("purser_certificate_not_after_seconds{") }
        #expect(ends.count == 2 && ends.values.allSatisfy { $0 > 1_700_000_000 })
        #expect(samples.keys.count { $0.hasPrefix("purser_active_serial_info{") } == 1)
        #expect(try await service.stop() == 0)
    }

    @Test func `what the watch has found and could not tell is told here`() async throws {
        let lab = try await Lab()
        let shop = Shop()
        try await lab.register(shop)
        let id = try #require(
            try await lab.certify(shop, "merchant-identity", "&days=5")["id"].text)
        try await lab.home.must("certificate", "activate", id)
        // Nobody listens there.
        lab.home.configure("{alerts: {webhook: {url: \"https://127.0.0.1:1/hook\"}}}")
        _ = try await lab.home.run("watch", "--once")
        let service = try await RunningService(lab.home)
        let samples = try await scrape(service)
        #expect((samples["purser_alerts_open{urgency=\"critical\"}"] ?? 0) >= 1)
        #expect((samples["purser_alerts_failed_total{channel=\"webhook\"}"] ?? 0) >= 1)
        #expect(samples["purser_alerts_sent_total{channel=\"webhook\"}"] == 0)
        #expect((samples["purser_alert_deliveries_failing{channel=\"webhook\"}"] ?? 0) >= 1)
        let since = samples["purser_alert_deliveries_failing_since_seconds{channel=\"webhook\"}"]
        #expect((since ?? 0) > 1_700_000_000)
        #expect((samples["purser_last_watch_timestamp_seconds"] ?? 0) > 1_700_000_000)
        #expect(samples["purser_gateway_healthy{environment=\"lab\"}"] == 1)
    }

    @Test func `ten thousand credentials are told, and sessions go on meanwhile`() async throws {
        let lab = try await Lab()
        let shop = Shop()
        try await lab.open(shop)
        try await multiply(lab.home, by: 10_000)
        let service = try await RunningService(lab.home)
        let scraping = Task { try await scrape(service) }
        for _ in 0..<5 { #expect(try await service.session(shop.order).status == 200) }
        let samples = try await scraping.value
        #expect(
            samples.keys.count { $0.hasPrefix("purser_certificate_not_after_seconds{") } == 10_000)
    }

    /// Copies the home's one credential in the database, as issued ones, until there are as many.
    private func multiply(_ home: TestHome, by count: Int) async throws {
        let columns = try await ForeignProcess.runBeside(
            "sqlite3",
            [
                "-batch", "\(home.path)/purser.db",
                """
                SELECT group_concat(name) FROM pragma_table_info('credentials')
                    WHERE name NOT IN ('id', 'merchant', 'public_key_hash', 'state');
                SELECT group_concat(name) FROM pragma_table_info('certificates')
                    WHERE name NOT IN ('fingerprint', 'credential');
                """,
            ]
        ).text.split(separator: "\n")
        try #require(columns.count == 2)
        let sql = """
            CREATE TEMP TABLE numbers AS WITH RECURSIVE n(i) AS (
                SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count - 1)) SELECT i FROM n;
            CREATE TEMP TABLE first AS SELECT * FROM credentials;
            CREATE TEMP TABLE paper AS SELECT * FROM certificates;
            INSERT INTO credentials (id, merchant, public_key_hash, state, \(columns[0]))
                SELECT printf('%012x', i), merchant, randomblob(32), 'issued', \(columns[0])
                FROM temp.first, numbers;
            INSERT INTO certificates (fingerprint, credential, \(columns[1]))
                SELECT lower(hex(randomblob(32))), printf('%012x', i), \(columns[1])
                FROM temp.paper, numbers;
            """
        let result = try await ForeignProcess.runBeside(
            "sqlite3", ["-batch", "-bail", "\(home.path)/purser.db", sql])
        try #require(result.status == 0, "\(result.errorText)")
    }
}
