import Merchants
import Transfers

/// What a failed transfer means for a session, and whether to try once more.
enum TransferFault {
    /// The session's error for a transfer's.
    ///
    /// TLS alerts that a server sends about the client's certificate tell of the certificate,
    /// whether they come in the handshake (TLS 1.2) or on the first read after it (TLS 1.3).
    static func sessionError(
        for error: TransferError, gateway: GatewayAddress
    ) -> SessionError {
        let name = gateway.description
        return switch error {
        case .tlsAlert(let number, let text):
            switch number {
            case 45: .certificateExpired
            case 40, 41, 42, 43, 44, 46, 48, 49, 116:
                .certificateRefused(how: "TLS alert \(number), \(text)")
            default: .tlsFailed(name, why: "alert \(number), \(text)")
            }
        case .nameNotResolved: .nameNotResolved(host: gateway.host)
        case .connectionRefused, .unreachable: .unreachable(name)
        case .connectTimedOut: .connectTimedOut(name)
        case .answerTimedOut: .answerTimedOut(name)
        case .serverUntrusted(let detail): .gatewayUntrusted(name, why: detail)
        case .serverNameMismatch: .gatewayUntrusted(name, why: "it is for another name")
        case .handshakeFailed(let detail): .tlsFailed(name, why: detail)
        case .identityUnusable: .certificateRefused(how: "it does not fit its key")
        case .closedBeforeAnswer: .connectionBroken(name)
        case .truncatedAnswer: .malformedAnswer("it breaks off")
        case .answerTooLarge: .malformedAnswer("it is too large")
        case .malformedAnswer: .malformedAnswer("it is not HTTP")
        case .proxyFailed(let detail): .proxyFailed(detail)
        case .overloaded: .overloaded
        case .poolClosed, .cancelled: .stopping
        case .tooManyFiles, .internalFault: .overloaded
        }
    }

    /// Whether the request may be sent once more: it failed before an answer, and not by a refusal.
    static func mayRetry(_ error: TransferError) -> Bool {
        switch error {
        case .closedBeforeAnswer, .connectionRefused, .unreachable, .connectTimedOut: true
        default: false
        }
    }
}
