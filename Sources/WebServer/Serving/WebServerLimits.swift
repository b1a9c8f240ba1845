/// What one client, and all of them together, may ask of the server.
package struct WebServerLimits: Sendable {
    /// The most bytes of a request's body; a longer one is refused with 413.
    package var maximumBodyBytes = 16 * 1024
    /// The memory of one connection, which the request line and all header fields must fit into.
    ///
    /// The header of the answer must, too. Longer requests are refused with 414 or 431.
    package var maximumHeaderBytes = 16 * 1024
    /// The most open connections, over all addresses; further ones wait to be accepted.
    ///
    /// At most half of the descriptors that are free at the start is used, because answering a request
    /// takes some too.
    package var maximumConnections = 10_000
    /// Requests between their header and the last byte of their answer; a further one is refused with
    /// 503 and `Retry-After`.
    package var maximumInFlight = 4_096
    /// How long a handler may take before the client is answered 504.
    package var handlerTimeout: Duration = .seconds(15)
    /// How long a request may take from its first line to its end, and an answer to be taken.
    package var receiveTimeout: Duration = .seconds(10)
    /// How long a connection may stay open without a request, also before its first one.
    package var idleTimeout: Duration = .seconds(60)

    /// The defaults.
    package init() {}
}
