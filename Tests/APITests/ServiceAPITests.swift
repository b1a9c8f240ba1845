import AppleSimulator
import Clocks
import FoundationEssentials
import HomeSupport
import Locks
import Merchants
import SessionSupport
import Sessions
import TestSupport
import Testing
import Transfers
import WebServer

@testable import API

/// The HTTP interface without a listener: requests in, answers out.
@Suite struct ServiceAPITests {
    private static let path = "/v1/merchant-sessions"
    private static let json: HTTPHeaders = [
        "Host": "localhost", "Content-Type": "application/json",
    ]

    private let lines = Lines()
    private let reports = Locked<[String]>([])

    private func api(_ desk: SessionDesk, reasons: [String] = []) async throws -> ServiceAPI {
        let (lines, reports) = (self.lines, self.reports)
        return ServiceAPI(
            desk: desk, home: try await Shop().desk(desk), doorkeeper: Doorkeeper(),
            version: "1",
            readiness: { Readiness(merchants: desk.roster.count, unreadable: 0, reasons: reasons) },
            log: AccessLog(clock: SystemClock(), write: { lines.append($0) }),
            counters: RequestCounters(loops: 1),
            report: { _, id in reports.withLock { $0.append(id) } })
    }

    /// An interface of a home without merchants.
    private func empty(reasons: [String] = []) async throws -> ServiceAPI {
        try await api(
            SessionDesk(roster: Roster([], known: []), loop: try TransferLoop()), reasons: reasons)
    }

    private func code(_ response: HTTPResponse) throws -> String {
        struct Problem: Decodable { var code: String }
        #expect(response.headers["Content-Type"] == "application/problem+json")
        #expect(response.headers["Cache-Control"] == "no-store")
        return try JSONDecoder().decode(Problem.self, from: Data(response.body)).code
    }

    private func post(
        _ body: String, headers: HTTPHeaders = json, peer: Peer = .loopback
    ) -> HTTPRequest {
        HTTPRequest(
            method: "POST", path: Self.path, headers: headers, body: Array(body.utf8), peer: peer)
    }

    @Test func `a session is Apple's bytes, which nobody may keep`() async throws {
        let bench = try SessionBench()
        let api = try await api(try bench.desk())
        let response = await api.taken(post("{\"domain\":\"SHOP.example.com.\"}"))
        #expect(response.status == 200)
        #expect(response.headers["Content-Type"] == "application/json")
        #expect(response.headers["Cache-Control"] == "no-store")
        struct Session: Decodable { var domainName: String }
        let session = try JSONDecoder().decode(Session.self, from: Data(response.body))
        #expect(session.domainName == SessionBench.domain)
        #expect(response.timings.map { "\($0.name)" } == ["apple", "wait"])
        #expect(response.timings.allSatisfy { $0.duration >= .zero && $0.duration < .seconds(9) })
        let seen = try lines.last()
        #expect(seen.status == 200 && seen.merchant == SessionBench.shop && seen.attempts == 1)
        #expect(seen.domain == SessionBench.domain && seen.environment == "lab")
        #expect(lines.all.count == 1 && reports.withLock { $0 }.isEmpty)
    }

    @Test func `what Apple refuses is a problem, and the log has the order`() async throws {
        let bench = try SessionBench()
        let api = try await api(try bench.desk())
        bench.apple.rudeness.acts = [.answerStatus: .always]
        bench.apple.rudeness.status = 417
        let response = await api.taken(
            post("{\"domain\":\"shop.example.com\",\"merchant\":\"\(SessionBench.shop)\"}"))
        #expect(response.status == 502)
        #expect(try code(response) == "session.merchant-incomplete")
        let seen = try lines.last()
        #expect(seen.code == "session.merchant-incomplete" && seen.merchant == SessionBench.shop)
        #expect(seen.domain == SessionBench.domain)
    }

    @Test(arguments: [Peer.loopback, .unixSocket(uid: 0)])
    func `HTTP/1.0, a hidden proxy's sign, gets health checks and nothing else`(
        peer: Peer
    ) async throws {
        let api = try await empty()
        // nginx passes 127.0.0.1:8765 to a TCP address, localhost to a Unix socket.
        for headers in [["Host": "127.0.0.1:8765"], ["Host": "localhost"], [:]] as [HTTPHeaders] {
            func status(_ method: String, _ path: String) async -> HTTPResponse {
                var headers = headers
                headers.set("Content-Type", "application/json")
                return await api.taken(
                    HTTPRequest(
                        method: method, path: path, headers: headers,
                        body: method == "GET" ? [] : Array("{}".utf8),
                        peer: peer, isVersion10: true))
            }
            for path in [Self.path] {
                let response = await status("POST", path)
                #expect(response.status == 401)
                #expect(try code(response) == "access.token-required")
                #expect(try lines.last().code == "access.token-required")
            }
            for path in ["/healthz", "/readyz"] {
                #expect(await status("GET", path).status == 200)
            }
        }
        let elsewhere = await api.taken(
            HTTPRequest(path: "/healthz", peer: .other("192.0.2.7"), isVersion10: true))
        #expect(elsewhere.status == 401)
    }

    @Test(arguments: [
        (
            "{\"domain\":\"shop.example.com\"}", 422, "session.domain-not-registered"
        ),
        (
            "{\"domain\":\"shop.example.com\",\"merchant\":\"merchant.com.example.shop\"}", 404,
            "session.unknown-merchant"
        ),
        ("{\"domain\":\"https://shop.example.com\"}", 422, "domain.malformed"),
        ("{\"domain\":\"a.b\",\"merchant\":\"x\"}", 422, "merchant.bad-identifier"),
        ("{\"domain\":\"a.b\",\"environment\":\"No!\"}", 422, "name.malformed"),
        ("{}", 400, "request.missing-key"), ("", 400, "request.malformed-json"),
        ("{\"domian\":\"a.b\"}", 400, "request.unknown-key"),
        ("{\"domain\":1}", 400, "request.wrong-type"),
    ])
    func `a wrong order is told by its code`(body: String, status: Int, code: String) async throws {
        let response = try await empty().taken(post(body))
        #expect(response.status == status)
        #expect(try self.code(response) == code)
        #expect(try lines.last().code == code && lines.last().status == status)
    }

    @Test(arguments: [
        ("application/json", true), ("application/json; charset=utf-8", true),
        ("Application/JSON;charset=\"UTF-8\"", true), ("application/json ; charset=utf-8", true),
        ("application/json; charset=latin1", false), ("text/json", false), ("text/plain", false),
        ("application/x-www-form-urlencoded", false), ("application/problem+json", false),
        ("", false), (nil, false),
    ])
    func `only what is declared as JSON is read`(type: String?, isRead: Bool) async throws {
        var headers: HTTPHeaders = ["Host": "localhost"]
        if let type { headers.set("Content-Type", type) }
        let response = try await empty().taken(post("{}", headers: headers))
        #expect(try code(response) == (isRead ? "request.missing-key" : "request.not-json"))
        #expect(response.status == (isRead ? 400 : 415))
    }

    @Test(arguments: [
        ("GET", "/", 404), ("POST", "/v1/merchant-sessions/", 404), ("POST", "/v1", 404),
        ("POST", "/V1/merchant-sessions", 404), ("GET", "/v1/../healthz", 404),
        ("GET", "/v1/merchant-sessions", 405), ("DELETE", "/v1/merchant-sessions", 405),
        ("POST", "/healthz", 405), ("OPTIONS", "/readyz", 405), ("BREW", "/healthz", 405),
        ("GET", "/healthz", 200), ("HEAD", "/healthz", 200), ("GET", "/readyz", 200),
    ])
    func `paths and methods are exact`(method: String, path: String, status: Int) async throws {
        let response = try await empty().taken(
            HTTPRequest(method: method, path: path, headers: Self.json))
        #expect(response.status == status)
        if status == 405 {
            let allowed = path == Self.path ? "POST" : "GET, HEAD"
            #expect(response.headers["Allow"] == allowed)
        }
        #expect(try lines.last().status == status && lines.last().path == path)
    }

    @Test func `readiness tells how many merchants, or why not`() async throws {
        struct Seen: Decodable, Equatable {
            var status: String
            var merchants: Int
            var reasons: [String]
        }
        let request = HTTPRequest(path: "/readyz", headers: ["Host": "localhost"])
        let ready = try await empty().taken(request)
        #expect(
            try JSONDecoder().decode(Seen.self, from: Data(ready.body))
                == Seen(status: "ready", merchants: 0, reasons: []))
        let reason = "the service is draining"
        let draining = try await empty(reasons: [reason]).taken(request)
        #expect(draining.status == 503)
        #expect(
            try JSONDecoder().decode(Seen.self, from: Data(draining.body))
                == Seen(status: "not ready", merchants: 0, reasons: [reason]))
    }

    @Test func `of two answers that race for a request only the one that is taken is logged`()
        async throws
    {
        let api = try await empty()
        let request = HTTPRequest(path: "/healthz", headers: ["Host": "localhost"])
        let late = await api.answer(request)
        let refusal = api.refuse(.draining, request)
        #expect(lines.all.isEmpty)
        refusal.whenTaken?()
        #expect(try lines.all.count == 1 && lines.last().code == "service.draining")
        #expect(late.whenTaken != nil)
    }

    @Test func `a refused order's line has the merchant that the domain leads to`() async throws {
        let bench = try SessionBench()
        let api = try await api(try bench.desk())
        bench.apple.rudeness.acts = [.answerStatus: .always]
        bench.apple.rudeness.status = 417
        let response = await api.taken(post("{\"domain\":\"shop.example.com\"}"))
        #expect(response.status == 502)
        let seen = try lines.last()
        #expect(seen.merchant == SessionBench.shop && seen.environment == "lab")
    }

    @Test func `the body's key is named to who asks by HTTP, and no flag`() throws {
        let document = ProblemDocument(
            SessionError.environmentRequired([.production, .sandbox]), requestID: "1")
        #expect(document.remedy == "name one of them as \"environment\"")
    }

    @Test func `nobody but this machine gets anything at all`() async throws {
        let api = try await empty()
        for (headers, peer, refusal) in [
            (Self.json, .other("192.0.2.7"), "access.token-required"),
            (
                ["Host": "attacker.example", "Content-Type": "application/json"], .loopback,
                "access.token-required"
            ),
            (["Host": "shop"], .unixSocket(uid: 0), "access.token-required"),
            (
                ["Host": "localhost", "X-Forwarded-For": "192.0.2.7"], .loopback,
                "access.token-required"
            ),
        ] as [(HTTPHeaders, Peer, String)] {
            for (method, path) in [("POST", Self.path), ("GET", "/healthz"), ("GET", "/metrics")] {
                let response = await api.taken(
                    HTTPRequest(method: method, path: path, headers: headers, peer: peer))
                #expect(response.status == 401)
                #expect(try code(response) == refusal)
            }
        }
    }

    @Test func `what the server refuses is a problem with a line like any other`() async throws {
        let response = try await empty().refuse(.draining, HTTPRequest(path: "/healthz"))
        #expect(lines.all.isEmpty)
        response.whenTaken?()
        #expect(response.status == 503 && response.headers["Retry-After"] == "2")
        #expect(try lines.last().status == 503 && lines.last().code == (try code(response)))
    }

    @Test func `a fault of ours is reported with the request's id`() async throws {
        let bench = try SessionBench()
        let environment = try bench.environment()
        let entry = Roster.Entry(
            merchant: try bench.merchant(environments: [environment]),
            domains: [try DomainName(SessionBench.domain)], environments: [environment],
            identity: .unreadable)
        let desk = SessionDesk(roster: SessionBench.roster(entry), loop: bench.loop)
        let response = try await api(desk).taken(post("{\"domain\":\"shop.example.com\"}"))
        #expect(response.status == 500)
        #expect(reports.withLock { $0 } == ["0000000000000000"])
    }
}

extension ServiceAPI {
    /// Answers, and takes the answer as the server does.
    fileprivate func taken(_ request: HTTPRequest) async -> HTTPResponse {
        let response = await answer(request)
        response.whenTaken?()
        return response
    }
}
