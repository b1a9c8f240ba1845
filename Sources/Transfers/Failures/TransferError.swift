package import Problems

/// Why a request got no complete answer, and so whether it may be sent again.
///
/// Nothing is retried here: ``requestMayHaveArrived`` tells the caller what it needs to decide.
package enum TransferError: Explained, Equatable {
    // This process
    case requestRefused(_ what: String)
    case overloaded(waiting: Int)
    case waitedTooLong
    case poolClosed
    case shutDown
    case cancelled
    case tooManyFiles
    case identityUnusable(detail: String)
    case trustUnusable(detail: String)
    case internalFault(code: Int, detail: String)

    // The way there
    case nameNotResolved(host: String)
    case connectionRefused(host: String)
    case unreachable(host: String)
    case connectTimedOut(host: String, stage: ConnectStage)
    /// A name of a public server stands for an address that none can have.
    case addressRefused(host: String, _ refusal: AddressRefusal)
    case proxyFailed(detail: String)
    /// The proxy answered CONNECT with something else than 2xx.
    case proxyRefused(status: Int)

    // TLS
    case serverUntrusted(host: String, detail: String)
    case serverNameMismatch(host: String)
    /// The server refused by a TLS alert: that is what it says about a client certificate.
    case tlsAlert(TLSAlert)
    case handshakeFailed(host: String, detail: String)

    // The answer
    case closedBeforeAnswer(connectionReused: Bool)
    case answerTimedOut(host: String)
    case truncatedAnswer(host: String)
    case answerTooLarge(limit: Int)
    case malformedAnswer(host: String)
}

/// How far a connection had come when its time was up.
package enum ConnectStage: String, Sendable, Equatable {
    case nameLookup = "looking up its name"
    case connecting = "connecting"
    case handshake = "agreeing on TLS"
}

extension TransferError {
    /// Whether the server may have received the request, or a part of it, and acted on it.
    ///
    /// False means that it certainly did not: the request may be sent again whatever it does. That
    /// holds for a refused client certificate too, although TLS 1.3 tells of it after the request
    /// was written: the server has not read it.
    package var requestMayHaveArrived: Bool {
        switch self {
        case .requestRefused, .overloaded, .waitedTooLong, .poolClosed, .tooManyFiles,
            .identityUnusable, .trustUnusable, .nameNotResolved, .connectionRefused, .unreachable,
            .connectTimedOut, .addressRefused, .proxyFailed, .proxyRefused, .serverUntrusted,
            .serverNameMismatch, .handshakeFailed:
            false
        case .tlsAlert(let alert):
            !alert.concernsClientCertificate
        case .shutDown, .cancelled, .internalFault, .closedBeforeAnswer, .answerTimedOut,
            .truncatedAnswer, .answerTooLarge, .malformedAnswer:
            true
        }
    }

    package var code: String {
        switch self {
        case .requestRefused: "transfer.request-refused"
        case .overloaded: "transfer.overloaded"
        case .waitedTooLong: "transfer.waited-too-long"
        case .poolClosed: "transfer.pool-closed"
        case .shutDown: "transfer.shut-down"
        case .cancelled: "transfer.cancelled"
        case .tooManyFiles: "transfer.too-many-files"
        case .identityUnusable: "transfer.identity-unusable"
        case .trustUnusable: "transfer.trust-unusable"
        case .internalFault: "transfer.internal-fault"
        case .nameNotResolved: "transfer.name-not-resolved"
        case .connectionRefused: "transfer.connection-refused"
        case .unreachable: "transfer.unreachable"
        case .connectTimedOut: "transfer.connect-timed-out"
        case .addressRefused: "transfer.address-refused"
        case .proxyFailed: "transfer.proxy-failed"
        case .proxyRefused: "transfer.proxy-refused"
        case .serverUntrusted: "transfer.server-untrusted"
        case .serverNameMismatch: "transfer.server-name-mismatch"
        case .tlsAlert: "transfer.tls-alert"
        case .handshakeFailed: "transfer.handshake-failed"
        case .closedBeforeAnswer: "transfer.closed-before-answer"
        case .answerTimedOut: "transfer.answer-timed-out"
        case .truncatedAnswer: "transfer.truncated-answer"
        case .answerTooLarge: "transfer.answer-too-large"
        case .malformedAnswer: "transfer.malformed-answer"
        }
    }

    package var summary: String {
        switch self {
        case .requestRefused(let what): "this request is not sent: \(what)"
        case .overloaded(let waiting): "\(waiting) requests already wait for a connection"
        case .waitedTooLong: "no connection became free within the request's time"
        case .poolClosed: "these connections are closed: their credential was replaced"
        case .shutDown: "the program is stopping"
        case .cancelled: "the request was given up"
        case .tooManyFiles: "this process has as many files open as it may"
        case .identityUnusable(let detail):
            "the client certificate or its key is unusable: \(detail)"
        case .trustUnusable(let detail): "the trusted roots cannot be loaded: \(detail)"
        case .internalFault(let code, let detail): "libcurl failed with \(code): \(detail)"
        case .nameNotResolved(let host): "the name of \(host) cannot be resolved"
        case .connectionRefused(let host): "\(host) refuses connections"
        case .unreachable(let host): "there is no way to \(host)"
        case .connectTimedOut(let host, let stage): "\(host): time ran out while \(stage.rawValue)"
        case .addressRefused(let host, let refusal):
            "\(host) resolves to \(refusal.address) (\(refusal.range)), which is no public server's"
        case .proxyFailed(let detail): "the proxy did not connect us: \(detail)"
        case .proxyRefused(let status): "the proxy answered CONNECT with \(status)"
        case .serverUntrusted(let host, let detail): "\(host) is not trusted: \(detail)"
        case .serverNameMismatch(let host): "the certificate shown by \(host) is not for that name"
        case .tlsAlert(let alert): "the server refused by TLS alert \(alert.number), \(alert.name)"
        case .handshakeFailed(let host, let detail): "no TLS agreement with \(host): \(detail)"
        case .closedBeforeAnswer: "the connection was closed before an answer came"
        case .answerTimedOut(let host): "\(host) did not answer in time"
        case .truncatedAnswer(let host): "\(host) closed the connection within its answer"
        case .answerTooLarge(let limit): "the answer is larger than \(limit) bytes"
        case .malformedAnswer(let host): "what \(host) sent is not an HTTP answer"
        }
    }

    package var remedy: String {
        switch self {
        case .requestRefused: "report this with what you did: the program made a wrong request"
        case .overloaded, .waitedTooLong: "send fewer requests at once, or try again later"
        case .poolClosed: "send it again; the new credential is used then"
        case .shutDown: "send it again when the program runs again"
        case .cancelled: "send it again if it is still wanted"
        case .tooManyFiles: "raise the limit of open files (LimitNOFILE= of the service's unit)"
        case .identityUnusable: "import the certificate together with the key that belongs to it"
        case .trustUnusable: "install ca-certificates, or give a PEM file with the roots to trust"
        case .internalFault: "look for the code in libcurl-errors(3), and report this"
        case .nameNotResolved: "check the host name and this machine's name servers"
        case .connectionRefused: "check the host and its port, and that the server runs"
        case .unreachable: "check this machine's routes and firewall"
        case .connectTimedOut: "check that the firewall lets this machine through to the host"
        case .addressRefused:
            "check this machine's name servers: somebody answers for that name who should not"
        case .proxyFailed: "check the proxy's address, and that it runs"
        case .proxyRefused(407):
            "let the proxy know this machine by its address: no password is sent"
        case .proxyRefused(403): "allow CONNECT to this host and port in the proxy's rules"
        case .proxyRefused: "check that the proxy itself can reach this host and port"
        case .serverUntrusted: "find out who answers there; if that is right, trust its root"
        case .serverNameMismatch: "find out who answers there; use the name in its certificate"
        case .tlsAlert(let alert): alert.remedy
        case .handshakeFailed: "check that the host speaks TLS 1.2 or later with AES-GCM"
        case .closedBeforeAnswer: "try again; if it persists, ask who runs the server"
        case .answerTimedOut: "try again later; if it persists, ask who runs the server"
        case .truncatedAnswer: "try again; if it persists, ask who runs the server"
        case .answerTooLarge: "find out who answers there: Apple's answers are much smaller"
        case .malformedAnswer: "check the host and its port: another protocol answers there"
        }
    }

    package var nature: Nature {
        switch self {
        case .requestRefused, .internalFault: .internalFault
        case .overloaded, .waitedTooLong, .poolClosed, .shutDown, .cancelled, .tooManyFiles:
            .unavailable
        case .identityUnusable: .badData
        case .trustUnusable, .proxyFailed, .proxyRefused: .configuration
        case .addressRefused, .nameNotResolved, .connectionRefused, .unreachable, .serverUntrusted,
            .serverNameMismatch, .handshakeFailed, .closedBeforeAnswer, .truncatedAnswer,
            .answerTooLarge, .malformedAnswer:
            .unreachable
        case .connectTimedOut, .answerTimedOut: .timedOut
        case .tlsAlert: .refused
        }
    }

    package static var examples: [TransferError] {
        [
            .requestRefused("its URL does not start with https://"), .overloaded(waiting: 4096),
            .waitedTooLong, .poolClosed, .shutDown, .cancelled, .tooManyFiles,
            .identityUnusable(detail: "the certificate is not in PEM"),
            .trustUnusable(detail: "error importing CA certificate blob"),
            .internalFault(code: 27, detail: "Out of memory"),
            .nameNotResolved(host: "gateway.example"), .connectionRefused(host: "localhost:1"),
            .unreachable(host: "192.0.2.1"),
            .connectTimedOut(host: "gateway.example", stage: .nameLookup),
            .connectTimedOut(host: "gateway.example", stage: .connecting),
            .connectTimedOut(host: "gateway.example", stage: .handshake),
            .addressRefused(
                host: "gateway.example", AddressRefusal(address: "10.0.0.1", range: "private")),
            .proxyFailed(detail: "cannot connect to proxy.example:3128"),
            .proxyRefused(status: 407), .proxyRefused(status: 403), .proxyRefused(status: 502),
            .serverUntrusted(host: "gateway.example", detail: "self-signed certificate"),
            .serverNameMismatch(host: "gateway.example"), .tlsAlert(TLSAlert(number: 45)),
            .tlsAlert(TLSAlert(number: 80)),
            .handshakeFailed(host: "gateway.example", detail: "wrong version number"),
            .closedBeforeAnswer(connectionReused: true), .answerTimedOut(host: "gateway.example"),
            .truncatedAnswer(host: "gateway.example"), .answerTooLarge(limit: 262_144),
            .malformedAnswer(host: "gateway.example"),
        ]
    }
}
