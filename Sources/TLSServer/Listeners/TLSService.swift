/// What a listener does with the clients that come.
///
/// Each connection has a thread of its own, on which all three are called.
package protocol TLSService: Sendable {
    /// Decides how the next client is met, before a byte is read; `connection` counts from 1.
    func greeting(forConnection connection: UInt64) -> Greeting

    /// Serves a client after its handshake; the connection ends when this returns.
    func serve(_ connection: TLSConnection)

    /// Hears of a handshake that failed.
    func handshakeFailed(_ failure: HandshakeFailure)
}

/// How a client is met.
package enum Greeting: Sendable {
    /// With a handshake under this context.
    case handshake(TLSContext)
    /// With a TCP reset.
    case reset
    /// With nothing at all until it leaves.
    case silence
}
