package import Problems

/// Why the TLS listener cannot be set up, or why a connection of its came to an end.
package enum TLSServerError: Explained, Equatable {
    case badCertificate(_ reason: String)
    case badKey(_ reason: String)
    case badAuthorities(_ reason: String)
    case notLoopback(_ host: String)
    case cannotListen(_ address: String, errno: Int32)
    case library(_ call: String, reason: String)
    case handshakeFailed(_ reason: String)
    case peerLeft
    case timedOut
    case stopping

    package var code: String {
        switch self {
        case .badCertificate: "tls-server.bad-certificate"
        case .badKey: "tls-server.bad-key"
        case .badAuthorities: "tls-server.bad-authorities"
        case .notLoopback: "tls-server.not-loopback"
        case .cannotListen: "tls-server.cannot-listen"
        case .library: "tls-server.library"
        case .handshakeFailed: "tls-server.handshake-failed"
        case .peerLeft: "tls-server.peer-left"
        case .timedOut: "tls-server.timed-out"
        case .stopping: "tls-server.stopping"
        }
    }

    package var summary: String {
        switch self {
        case .badCertificate(let reason): "the server's certificate chain is unusable: \(reason)"
        case .badKey(let reason): "the server's private key is unusable: \(reason)"
        case .badAuthorities(let reason):
            "the authorities for client certificates are unusable: \(reason)"
        case .notLoopback(let host): "refusing to listen on \(host): it is not a loopback address"
        case .cannotListen(let address, let errno): "cannot listen on \(address): errno \(errno)"
        case .library(let call, let reason): "OpenSSL refused \(call): \(reason)"
        case .handshakeFailed(let reason): "the TLS handshake failed: \(reason)"
        case .peerLeft: "the peer ended the connection"
        case .timedOut: "the peer was not ready in time"
        case .stopping: "the listener is stopping"
        }
    }

    package var remedy: String {
        switch self {
        case .badCertificate: "give the chain as PEM, the server's own certificate first"
        case .badKey: "give the unencrypted PEM key that belongs to the first certificate"
        case .badAuthorities: "give one or more CA certificates as PEM"
        case .notLoopback: "listen on 127.0.0.1 or ::1"
        case .cannotListen: "choose a free port, or 0 for any"
        case .library: "check the OpenSSL configuration of this machine"
        case .handshakeFailed: "check the client's certificate, protocol version and trust"
        case .peerLeft: "connect again"
        case .timedOut: "send the request sooner"
        case .stopping: "start the listener again"
        }
    }

    package var nature: Nature {
        switch self {
        case .badCertificate, .badKey, .badAuthorities: .badData
        case .notLoopback: .configuration
        case .cannotListen: .cannotCreate
        case .library: .internalFault
        case .handshakeFailed: .refused
        case .peerLeft: .unreachable
        case .timedOut: .timedOut
        case .stopping: .unavailable
        }
    }

    package static var examples: [TLSServerError] {
        [
            .badCertificate("no start line"), .badKey("it does not belong to the certificate"),
            .badAuthorities("no certificate in it"), .notLoopback("0.0.0.0"),
            .cannotListen("127.0.0.1:443", errno: 13), .library("SSL_new", reason: "no memory"),
            .handshakeFailed("peer did not return a certificate"), .peerLeft, .timedOut, .stopping,
        ]
    }
}
