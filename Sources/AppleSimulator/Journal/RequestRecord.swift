package import Clocks

/// One line of the gateway's log: a request, or a handshake that failed.
package struct RequestRecord: Sendable, Codable, Equatable {
    /// What happened.
    package enum Event: String, Sendable, Codable {
        case request
        case handshakeFailed = "handshake-failed"
    }

    package var event: Event
    package var time: Timestamp
    /// Which of the two gateways: `production` or `sandbox`.
    package var gateway: String
    /// Counted from 1 in each gateway.
    package var connection: UInt64
    /// Counted from 1 on its connection; 0 for a failed handshake.
    package var request: Int
    /// The UID of the client's certificate; of a resumed session, the one that TLS kept in it.
    package var clientUID: String?
    /// Upper-case hex.
    package var clientSerialNumber: String?
    /// Whether a TLS session was resumed.
    package var isResumed: Bool
    /// The UID seen in the full handshake that made the session, from our own record of it.
    package var sessionOwnerUID: String?
    /// The connection of that handshake.
    package var sessionMadeOn: UInt64?
    /// The host name asked for (SNI).
    package var serverName: String?
    package var tlsVersion: String?
    package var method: String?
    package var path: String?
    /// From the body, as are the two that follow.
    package var merchantIdentifier: String?
    package var domain: String?
    package var displayName: String?
    /// The status answered; nil when nothing was.
    package var status: Int?
    /// SHA-256 of the body answered, lower-case hex: what a client must have got, to the byte.
    package var answerSHA256: String?
    /// The rude acts done to it.
    package var rudeness: [RudeAct]
    /// Why a handshake failed, or a request was refused.
    package var reason: String?
}
