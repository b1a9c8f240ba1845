/// A request that ended before it was read, so that neither the handler nor a refusal has seen it.
///
/// libmicrohttpd answers some by itself, with a small HTML page: a broken request line or header, one
/// that is too long for its memory, a version that it does not speak. Others the client, or a time
/// limit, has cut short. They are told so that no client can knock without leaving a trace.
package struct UnreadRequest: Sendable {
    /// Why there was no more of it.
    package enum Ending: String, Sendable {
        /// libmicrohttpd refused it; ``UnreadRequest/status`` is what the client was told.
        case refused
        /// It was not there in time, or the server stopped.
        case cut
        /// The client has gone away.
        case abandoned
        /// Something came on a new connection that did not become a request, such as the start of
        /// TLS, and the connection has ended. (After a request, and on a Unix socket, it is not seen.)
        case noRequest = "no-request"
    }

    /// Nil when not even the request line was read.
    package let id: String?
    package let peer: Peer
    /// The path as it was sent, whatever it was; nil when not even the request line was read.
    package let path: String?
    package let ending: Ending
    package let status: Int?
    /// When the request line had been read, or the connection was accepted.
    package let begunAt: ContinuousClock.Instant
    /// How many more there were since the last that was told: only so many are in a second.
    package internal(set) var untold: Int

    /// One as a test would have it.
    package init(
        id: String? = nil, peer: Peer, path: String? = nil, ending: Ending, status: Int? = nil,
        begunAt: ContinuousClock.Instant = .now, untold: Int = 0
    ) {
        self.id = id
        self.peer = peer
        self.path = path
        self.ending = ending
        self.status = status
        self.begunAt = begunAt
        self.untold = untold
    }
}
