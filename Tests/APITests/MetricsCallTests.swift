import AppleSimulator
import Clocks
import HomeSupport
import Locks
import Metrics
import SessionSupport
import Sessions
import TestSupport
import Testing
import Transfers
import WebServer

@testable import API

/// What is counted of requests, and how it is told.
@Suite struct MetricsCallTests {
    private func api(
        _ desk: SessionDesk, metrics: @escaping @Sendable () async -> [MetricFamily] = { [] }
    ) async throws -> ServiceAPI {
        ServiceAPI(
            desk: desk, home: try await Shop().desk(desk), doorkeeper: Doorkeeper(),
            version: "1", readiness: { Readiness(merchants: 0, unreadable: 0, reasons: []) },
            log: AccessLog(clock: SystemClock(), write: { _ in }),
            counters: RequestCounters(loops: 2), metrics: metrics, report: { _, _ in })
    }

    private func order(_ body: String, worker: Int = 0) -> HTTPRequest {
        HTTPRequest(
            method: "POST", path: "/v1/merchant-sessions",
            headers: ["Host": "localhost", "Content-Type": "application/json"],
            body: Array(body.utf8), worker: worker)
    }

    private func take(_ api: ServiceAPI, _ request: HTTPRequest) async -> HTTPResponse {
        let response = await api.answer(request)
        response.whenTaken?()
        return response
    }

    private func scrape(_ api: ServiceAPI) async -> [String] {
        let request = HTTPRequest(path: "/metrics", headers: ["Host": "localhost"])
        let response = await api.answer(request)
        #expect(response.status == 200)
        #expect(response.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
        return String(decoding: response.body, as: UTF8.self).split(separator: "\n").map {
            String($0)
        }
    }

    @Test func `sessions are counted by outcome, code and known environment`() async throws {
        let bench = try SessionBench()
        let desk = try bench.desk()
        // The desk of the bench has one loop; what is counted is told apart by the worker all the same.
        let api = try await api(desk)
        let good = "{\"domain\":\"shop.example.com\"}"
        for _ in 0..<3 { #expect(await take(api, order(good)).status == 200) }
        for (body, status) in [
            ("{}", 400), ("{\"domain\":\"other.example.com\"}", 422),
            ("{\"domain\":\"shop.example.com\",\"environment\":\"made-up-by-a-caller\"}", 404),
            ("{\"domain\":\"shop.example.com\",\"environment\":\"production\"}", 403),
        ] {
            #expect(await take(api, order(body, worker: 1)).status == status)
        }
        bench.apple.rudeness.acts = [.answerStatus: .always]
        bench.apple.rudeness.status = 417
        #expect(await take(api, order(good)).status == 502)
        let lines = await scrape(api)
        for line in [
            "purser_sessions_total{outcome=\"ok\",code=\"\",environment=\"lab\"} 3",
            "purser_sessions_total{outcome=\"ok\",code=\"\",environment=\"\"} 0",
            "purser_sessions_total{outcome=\"caller\",code=\"request.missing-key\",environment=\"\"} 1",
            "purser_sessions_total{outcome=\"caller\",code=\"session.domain-not-registered\""
                + ",environment=\"\"} 1",
            "purser_sessions_total{outcome=\"caller\",code=\"session.unknown-environment\""
                + ",environment=\"\"} 1",
            "purser_sessions_total{outcome=\"caller\",code=\"session.environment-not-allowed\""
                + ",environment=\"production\"} 1",
            "purser_sessions_total{outcome=\"merchant\",code=\"session.merchant-incomplete\""
                + ",environment=\"lab\"} 1",
            "purser_session_duration_seconds_count{outcome=\"ok\"} 3",
            "purser_session_duration_seconds_count{outcome=\"caller\"} 4",
            "purser_session_duration_seconds_bucket{outcome=\"merchant\",le=\"+Inf\"} 1",
            "purser_http_requests_total{status=\"200\"} 3",
            "purser_http_requests_total{status=\"502\"} 1",
        ] {
            #expect(lines.contains(line), "\(line) in \(lines)")
        }
        #expect(!lines.contains { $0.contains("made-up") })
    }

    @Test func `what only the identity before got is told apart`() async throws {
        let bench = try SessionBench()
        let (old, new) = (try bench.identity(), try bench.identity())
        let newSerial = try #require(bench.apple.portal.certificates().last?.serialNumber)
        let api = try await api(
            SessionDesk(
                roster: SessionBench.roster(try bench.entry(as: new, fallback: old)),
                loop: bench.loop))
        try bench.apple.portal.refuse([newSerial: .status(403)])
        #expect(await take(api, order("{\"domain\":\"shop.example.com\"}")).status == 200)
        #expect(
            await scrape(api).contains(
                "purser_sessions_total{outcome=\"fallback\","
                    + "code=\"session.certificate-refused\",environment=\"lab\"} 1"))
    }

    @Test func `an answer that was not taken is not counted`() async throws {
        let api = try await api(
            SessionDesk(roster: Roster([], known: []), loop: try TransferLoop()))
        _ = await api.answer(HTTPRequest(path: "/healthz", headers: ["Host": "localhost"]))
        #expect(await !scrape(api).contains { $0.hasPrefix("purser_http_requests_total{") })
    }

    @Test func `it is for local callers, as everything is`() async throws {
        let api = try await api(
            SessionDesk(roster: Roster([], known: []), loop: try TransferLoop()),
            metrics: { [MetricFamily(Measure(.gauge, "purser_more", "More"), 7)] })
        #expect(await scrape(api).contains("purser_more 7"))
        for request in [
            HTTPRequest(path: "/metrics", headers: ["Host": "shop.example.com"]),
            HTTPRequest(path: "/metrics", headers: ["Host": "localhost", "X-Forwarded-For": "x"]),
            HTTPRequest(
                path: "/metrics", headers: ["Host": "localhost"], peer: .other("192.0.2.7")),
            HTTPRequest(path: "/metrics", headers: ["Host": "localhost"], isVersion10: true),
        ] {
            #expect(await api.answer(request).status == 401)
        }
        let post = HTTPRequest(method: "POST", path: "/metrics", headers: ["Host": "localhost"])
        #expect(await api.answer(post).status == 405)
    }

    @Test func `what several loops count at once is added up`() async throws {
        let counters = RequestCounters(loops: 4)
        await withTaskGroup { group in
            for worker in 0..<8 {
                group.addTask {
                    for number in 0..<1_000 {
                        counters.count(.ok, "lab", took: .milliseconds(number), onLoop: worker)
                        counters.count(status: 200, onLoop: worker)
                        if number % 100 == 0 { _ = counters.families }
                    }
                }
            }
        }
        let text = counters.families.map { String(decoding: $0.text, as: UTF8.self) }.joined()
        #expect(text.contains("code=\"\",environment=\"lab\"} 8000\n"))
        #expect(text.contains("purser_session_duration_seconds_count{outcome=\"ok\"} 8000\n"))
        #expect(text.contains("purser_http_requests_total{status=\"200\"} 8000\n"))
    }
}
