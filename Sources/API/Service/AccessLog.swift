import Clocks
import FoundationEssentials
import WebServer

/// One JSON line for each request, without secrets: no body, no header, no session.
package struct AccessLog: Sendable {
    /// What a line tells beside the request itself.
    struct Outcome: Sendable {
        var status: Int
        /// The error's stable code; nil when all went well.
        var code: String?
        var merchant: String?
        var domain: String?
        var environment: String?
        /// How often Apple was asked.
        var attempts: Int?
        var connectionReused: Bool?
    }

    private struct Line: Encodable {
        var time: Timestamp
        var event = "request"
        var requestId: String
        var peer: String
        var method: String
        var path: String
        var status: Int
        var durationMilliseconds: Double
        var code: String?
        var merchant: String?
        var domain: String?
        var environment: String?
        var attempts: Int?
        var connectionReused: Bool?
    }

    private let clock: any WallClock
    private let write: @Sendable ([UInt8]) -> Void

    /// `write` gets one whole line at a time, with its line end, from any thread.
    package init(clock: any WallClock, write: @escaping @Sendable ([UInt8]) -> Void) {
        self.clock = clock
        self.write = write
    }

    func record(_ request: HTTPRequest, _ outcome: Outcome) {
        let took = ContinuousClock.now - request.receivedAt
        let line = Line(
            time: clock.now, requestId: request.id, peer: Self.shown(request.peer),
            method: request.method, path: String(request.path.prefix(200)),
            status: outcome.status,
            durationMilliseconds: Double(took.components.seconds) * 1_000
                + Double(took.components.attoseconds / 10_000_000_000_000) / 100,
            code: outcome.code, merchant: outcome.merchant, domain: outcome.domain,
            environment: outcome.environment, attempts: outcome.attempts,
            connectionReused: outcome.connectionReused)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? encoder.encode(line) else { return }
        write(Array(bytes) + [UInt8(ascii: "\n")])
    }

    private static func shown(_ peer: Peer) -> String {
        switch peer {
        case .loopback: "loopback"
        case .unixSocket(let uid?): "unix:\(uid)"
        case .unixSocket(nil): "unix"
        case .other(let address): address
        }
    }
}
