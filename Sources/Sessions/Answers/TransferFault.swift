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
        case .tlsAlert(let alert):
            if alert.number == 45 {
                .certificateExpired
            } else if alert.concernsClientCertificate {
                .certificateRefused(how: "TLS alert \(alert.number), \(alert.name)")
            } else {
                .tlsFailed(name, why: "alert \(alert.number), \(alert.name)")
            }
        case .nameNotResolved: .nameNotResolved(host: gateway.host)
        case .connectionRefused, .unreachable: .unreachable(name)
        case .connectTimedOut: .connectTimedOut(name)
        case .answerTimedOut: .answerTimedOut(name)
        case .serverUntrusted(_, let detail):
            // OpenSSL's words for X509_V_ERR_CERT_HAS_EXPIRED and …_NOT_YET_VALID.
            detail.hasPrefix("certificate has expired")
                || detail.hasPrefix("certificate is not yet valid")
                ? .gatewayExpired(name, why: detail) : .gatewayUntrusted(name, why: detail)
        case .trustUnusable(let detail): .gatewayUntrusted(name, why: detail)
        case .serverNameMismatch: .gatewayMisnamed(name)
        case .handshakeFailed(_, let detail): .tlsFailed(name, why: detail)
        case .identityUnusable: .certificateRefused(how: "it does not fit its key")
        case .closedBeforeAnswer: .connectionBroken(name)
        case .truncatedAnswer: .truncatedAnswer
        case .answerTooLarge: .oversizedAnswer
        case .malformedAnswer: .malformedAnswer("it is not HTTP")
        case .addressRefused(_, let refusal):
            .addressRefused(name, address: refusal.address, range: refusal.range)
        case .proxyFailed(let detail): .proxyFailed(detail)
        case .proxyRefused(let status): .proxyRefused(status: status)
        case .overloaded, .waitedTooLong, .tooManyFiles: .overloaded
        case .poolClosed, .shutDown, .cancelled: .stopping
        case .requestRefused(let what): .internalFault(what)
        case .internalFault(let code, let detail): .internalFault("libcurl \(code): \(detail)")
        }
    }

    /// Whether the request may be sent once more: it failed before an answer, and not by a refusal.
    static func mayRetry(_ error: TransferError) -> Bool {
        switch error {
        case .closedBeforeAnswer, .connectionRefused, .unreachable, .connectTimedOut,
            .handshakeFailed:
            true
        default: false
        }
    }
}
