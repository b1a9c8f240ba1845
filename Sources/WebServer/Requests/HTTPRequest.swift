/// A request that was read to its end and found to be sound HTTP.
///
/// A class, because it is handed from one function to the next on its way and nobody changes it: a
/// copy of all these fields each time would cost more than most of what is done with them.
package final class HTTPRequest: Sendable {
    /// 16 lower-case hex digits, never twice in one process; answers carry it as `X-Request-Id`.
    package let id: String
    /// A token such as `GET`, at most 32 bytes; which ones exist is the router's matter.
    package let method: String
    /// The path as it was sent, not decoded: it begins with `/`, is visible ASCII, and every `%` in
    /// it is followed by two hex digits that are not `00`.
    package let path: String
    /// What follows the first `?`, as it was sent and under the same rules; nil without a `?`.
    package let query: String?
    /// The fields, without control characters; bytes that are not UTF-8 were replaced by U+FFFD.
    package let headers: HTTPHeaders
    /// At most as many bytes as the limits allow.
    package let body: [UInt8]
    package let peer: Peer
    /// Whether it came by HTTP/1.0, which today only a proxy with its defaults speaks, or an old tool.
    package let isVersion10: Bool
    /// Which of the server's event loops it came in on, from 0: its handler runs there.
    package let worker: Int
    /// When the request line had been read.
    package let receivedAt: ContinuousClock.Instant

    /// A request as a test would send it.
    package init(
        id: String = "0000000000000000", method: String = "GET", path: String,
        query: String? = nil, headers: HTTPHeaders = [:], body: [UInt8] = [],
        peer: Peer = .loopback, isVersion10: Bool = false, worker: Int = 0,
        receivedAt: ContinuousClock.Instant = .now
    ) {
        self.id = id
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.peer = peer
        self.isVersion10 = isVersion10
        self.worker = worker
        self.receivedAt = receivedAt
    }
}
