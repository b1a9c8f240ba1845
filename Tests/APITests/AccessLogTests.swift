import Clocks
import FoundationEssentials
import Locks
import TestSupport
import Testing
import WebServer

@testable import API

/// What a log was given, line by line.
final class Lines: Sendable {
    private let lines = Locked<[[UInt8]]>([])

    var all: [[UInt8]] { lines.withLock { $0 } }

    func append(_ line: [UInt8]) {
        lines.withLock { $0.append(line) }
    }

    /// The newest line's members.
    func last() throws -> LogMembers {
        try JSONDecoder().decode(LogMembers.self, from: Data(try #require(all.last)))
    }
}

/// An access line as another reader sees it.
struct LogMembers: Decodable, Equatable {
    var time, event, requestId, peer, method, path: String
    var status: Int
    var durationMilliseconds: Double
    var code, merchant, domain, environment: String?
    var attempts: Int?
    var connectionReused: Bool?
}

@Suite struct AccessLogTests {
    private let lines = Lines()
    private let log: AccessLog

    init() {
        let lines = self.lines
        log = AccessLog(
            clock: ManualClock(Timestamp(seconds: 1_780_000_000)), write: { lines.append($0) })
    }

    @Test func `a line is one JSON object with what is known`() throws {
        log.record(
            HTTPRequest(
                id: "00112233aabbccdd", method: "POST", path: "/v1/merchant-sessions",
                receivedAt: .now - .microseconds(12_345)),
            AccessLog.Outcome(
                status: 200, merchant: "merchant.com.example.shop", domain: "shop.example.com",
                environment: "production", attempts: 2, connectionReused: false))
        let seen = try lines.last()
        #expect(seen.time == "2026-05-28T20:26:40Z" && seen.event == "request")
        #expect(seen.requestId == "00112233aabbccdd" && seen.peer == "loopback")
        #expect(seen.method == "POST" && seen.path == "/v1/merchant-sessions")
        #expect(seen.status == 200 && seen.code == nil && seen.attempts == 2)
        #expect(seen.merchant == "merchant.com.example.shop" && seen.domain == "shop.example.com")
        #expect(seen.environment == "production" && seen.connectionReused == false)
        #expect(seen.durationMilliseconds >= 12.34 && seen.durationMilliseconds < 10_000)
        #expect(lines.all.first?.last == UInt8(ascii: "\n"))
    }

    @Test func `what is not known is left out`() throws {
        log.record(HTTPRequest(path: "/"), AccessLog.Outcome(status: 404, code: "request.x"))
        let text = String(decoding: try #require(lines.all.last), as: UTF8.self)
        for name in ["merchant", "domain", "environment", "attempts", "connectionReused"] {
            #expect(!text.contains("\"\(name)\""))
        }
        #expect(try lines.last().code == "request.x")
    }

    @Test(arguments: [
        "/\"quoted\"", "/back\\slash", "/line\nbreak\r", "/\u{1B}[2J", "/\u{202E}gnp", "/😀é",
        "/\u{0}\u{7F}\u{85}\u{9B}", "/\u{2028}\u{2029}",
    ])
    func `no path can break a line or steer a terminal`(path: String) throws {
        log.record(HTTPRequest(method: "G\"T", path: path), AccessLog.Outcome(status: 400))
        let line = try #require(lines.all.last)
        #expect(line.dropLast().allSatisfy { (0x20...0x7E).contains($0) })
        #expect(try lines.last().path == path && lines.last().method == "G\"T")
    }

    @Test(arguments: [
        "/purser_0123456789ab_hunter2", "/v1/merchants/purser_x", "/_/my_purser_hunter2",
    ])
    func `a path with a token in it is not told`(path: String) throws {
        log.record(HTTPRequest(path: path), AccessLog.Outcome(status: 404))
        #expect(try lines.last().path == "/‹a path with a token in it›")
        let other = path.replacing("purser_", with: "purse_")
        log.record(HTTPRequest(path: other), AccessLog.Outcome(status: 404))
        #expect(try lines.last().path == other)
    }

    @Test func `a path is cut, and says nothing of the rest of the request`() throws {
        log.record(
            HTTPRequest(
                path: "/" + String(repeating: "x", count: 5_000), query: "token=hunter2",
                headers: ["Authorization": "Bearer hunter2"], body: Array("hunter2".utf8),
                peer: .unixSocket(uid: 33)), AccessLog.Outcome(status: 200))
        let text = String(decoding: try #require(lines.all.last), as: UTF8.self)
        #expect(text.utf8.count < 500 && !text.contains("hunter2"))
        #expect(try lines.last().peer == "unix:33")
    }

    @Test(
        arguments: [
            (.microseconds(0), "0.00"), (.microseconds(9), "0.00"), (.microseconds(10), "0.01"),
            (.microseconds(1_999), "1.99"), (.seconds(61), "61000.00"),
            (.milliseconds(100), "100.00"),
        ] as [(Duration, String)])
    func `milliseconds have two decimals`(duration: Duration, text: String) {
        var line = LogLine()
        line.add("a", milliseconds: duration)
        line.add("b", nil as String?)
        line.add("c", true)
        #expect(line.finished() == Array("{\"a\":\(text),\"c\":true}\n".utf8))
    }

    @Test func `a request that was never read leaves a line too`() throws {
        struct Members: Decodable, Equatable {
            var time, event, peer, ending: String
            var requestId, path: String?
            var status, untold: Int?
        }
        func line(_ request: UnreadRequest) throws -> Members {
            log.record(request)
            return try JSONDecoder().decode(Members.self, from: Data(try #require(lines.all.last)))
        }
        #expect(
            try line(UnreadRequest(peer: .other("192.0.2.7"), ending: .refused, status: 414))
                == Members(
                    time: "2026-05-28T20:26:40Z", event: "unread-request", peer: "192.0.2.7",
                    ending: "refused", status: 414))
        let told = try line(
            UnreadRequest(
                id: "0011", peer: .loopback,
                path: "/\u{1B}[2J\"" + String(repeating: "a", count: 1_000), ending: .abandoned,
                untold: 7))
        #expect(told.requestId == "0011" && told.untold == 7 && told.status == nil)
        #expect(told.path?.count == 200 && lines.all.last?.count { $0 < 0x20 } == 1)
    }
}
