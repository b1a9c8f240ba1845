package import Clocks
import Locks
import Merchants
import Networks
import WebServer

/// One JSON line for each request, without secrets: no body, no header, no session.
package struct AccessLog: Sendable {
    /// What a line tells beside the request itself.
    struct Outcome: Sendable {
        var status: Int
        /// The error's stable code; nil when all went well.
        var code: String?
        /// The id of the API token that was shown, where it is one of ours.
        var token: String?
        /// Where the call comes from, which behind a proxy is not the peer.
        var caller: IPAddress?
        var merchant: String?
        var domain: String?
        var environment: String?
        /// How often Apple was asked.
        var attempts: Int?
        var connectionReused: Bool?
        /// The code of the error with which Apple refused the identity in use, where the one before
        /// it got the session.
        var refusal: String?
    }

    private let clock: any WallClock
    private let spelled = Locked((time: Timestamp(seconds: 0), text: ""))
    private let write: @Sendable ([UInt8]) -> Void

    /// `write` gets one whole line at a time, with its line end, from any thread.
    package init(clock: any WallClock, write: @escaping @Sendable ([UInt8]) -> Void) {
        self.clock = clock
        self.write = write
    }

    func record(_ request: HTTPRequest, _ outcome: Outcome) {
        var line = LogLine()
        line.add("time", timeText)
        line.add("event", "request")
        line.add("requestId", request.id)
        line.add("peer", Self.shown(request.peer))
        line.add("method", request.method)
        line.add("path", Self.shown(request.path))
        line.add("status", outcome.status)
        line.add("durationMilliseconds", milliseconds: ContinuousClock.now - request.receivedAt)
        line.add("code", outcome.code)
        line.add("caller", Self.shown(outcome.caller, beside: request.peer))
        line.add("token", outcome.token)
        line.add("merchant", outcome.merchant)
        line.add("domain", outcome.domain)
        line.add("environment", outcome.environment)
        line.add("attempts", outcome.attempts)
        line.add("connectionReused", outcome.connectionReused)
        line.add("refusal", outcome.refusal)
        write(line.finished())
    }

    /// A line about a request that was never read; `untold` is how many like it were passed over.
    func record(_ request: UnreadRequest) {
        var line = LogLine()
        line.add("time", timeText)
        line.add("event", "unread-request")
        line.add("requestId", request.id)
        line.add("peer", Self.shown(request.peer))
        line.add("path", request.path.map(Self.shown))
        line.add("ending", request.ending.rawValue)
        line.add("status", request.status)
        line.add("durationMilliseconds", milliseconds: ContinuousClock.now - request.begunAt)
        line.add("untold", request.untold == 0 ? nil : request.untold)
        write(line.finished())
    }

    /// The present second, spelled once for all lines in it.
    private var timeText: String {
        let now = clock.now
        return spelled.withLock { spelled in
            if spelled.text.isEmpty || spelled.time != now { spelled = (now, now.description) }
            return spelled.text
        }
    }

    private static func shown(_ path: String) -> String {
        // A token has no business there, and must not stay where it does not belong.
        // Looking for one byte first: the search for a text takes longer than all else here.
        if let last = TokenForm.prefix.utf8.last, path.utf8.contains(last),
            path.contains(TokenForm.prefix)
        {
            return "/‹a path with a token in it›"
        }
        return path.utf8.count <= 200 ? path : String(path.prefix(200))
    }

    /// The caller's address, where the peer's does not say it.
    private static func shown(_ caller: IPAddress?, beside peer: Peer) -> String? {
        guard let caller, caller != CallerAddress.address(of: peer) else { return nil }
        return caller.description
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
