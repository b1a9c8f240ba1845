import TestSupport
import Testing

/// What callers may not do, as `curl` does it.
@Suite(.twoAtATime) struct CallTests {
    @Test func `requests that mean nothing are told apart by code`() async throws {
        let home = try await TestHome()
        let service = try await RunningService(home)
        let url = "\(service.url)/v1/merchant-sessions"
        let json = ["-H", "Content-Type: application/json"]
        let order = #"{"domain":"shop.example.com"}"#
        let calls: [(arguments: [String], body: String, status: Int, code: String)] = [
            (json, order, 422, "session.domain-not-registered"),
            ([], order, 415, "request.not-json"),
            (["-H", "Content-Type: text/plain"], order, 415, "request.not-json"),
            (json, "{", 400, "request.malformed-json"),
            (json, "[]", 400, "request.malformed-json"),
            (json, "{}", 400, "request.missing-key"),
            (json, #"{"domain":1}"#, 400, "request.wrong-type"),
            (json, #"{"domain":"a.example.com","x":"y"}"#, 400, "request.unknown-key"),
            (
                json, #"{"domain":"a.example.com","domain":"b.example.com"}"#, 400,
                "request.duplicate-key"
            ),
            (json, #"{"domain":"a.example.com","merchant":"x.y"}"#, 422, "merchant.bad-identifier"),
            (json + ["-H", "X-Forwarded-For: 192.0.2.1"], order, 401, "access.token-required"),
            (json + ["-H", "Forwarded: for=192.0.2.1"], order, 401, "access.token-required"),
            (json + ["-H", "Host: shop.example.com"], order, 401, "access.token-required"),
            (json + ["-X", "PUT"], order, 405, "request.method-not-allowed"),
        ]
        for call in calls {
            let reply = try await HTTPReply.asking(
                call.arguments + [url], body: Array(call.body.utf8))
            #expect(reply.status == call.status && reply.code == call.code, "\(call) \(reply.json)")
            #expect(reply.headers["content-type"] == "application/problem+json")
            #expect(reply.json["requestId"].text?.isEmpty == false)
        }
        let large = try await HTTPReply.asking(
            json + [url], body: Array(repeating: 0x20, count: 70_000))
        #expect(large.status == 413)
        #expect(try await service.get("/nowhere").code == "request.no-such-resource")
        let health = try await service.get("/healthz")
        #expect(health.status == 200 && health.json["status"] == "ok")
        let ready = try await service.get("/readyz", overSocket: true)
        #expect(ready.status == 200 && ready.json["merchants"] == 0)
        // One line for each request, with the request's id and without its body.
        let lines = try await service.requestLines(calls.count + 4)
        #expect(lines.count == calls.count + 4)
        #expect(Set(lines.compactMap { $0["requestId"].text }).count == lines.count)
        #expect(!service.process.errors.contains("192.0.2.1"))
        #expect(try await service.stop() == 0)
    }

    @Test func `what the HTTP library refuses by itself leaves a line`() async throws {
        let home = try await TestHome()
        let service = try await RunningService(home)
        let long = String(repeating: "a", count: 100_000)
        let reply = try await HTTPReply.asking(["\(service.url)/\(long)"])
        #expect(reply.status == 414)
        var lines: [JSON] = []
        _ = try await BackgroundProcess.wait(seconds: 20) {
            lines = service.log.filter { $0["event"] == "unread-request" }
            return !lines.isEmpty
        }
        #expect(lines.count == 1 && lines.first?["status"] == 414)
        #expect(lines.first?["peer"] == "loopback" && lines.first?["ending"] == "refused")
        #expect(try await service.requestLines(0).isEmpty)
        #expect(try await service.stop() == 0)
    }
}
