package import Problems

/// Why a request is answered by the server itself and never reaches the handler, or not in time.
///
/// The caller turns each into a body of its own shape; the status is fixed here, because it is part
/// of HTTP and not of the domain. (What libmicrohttpd refuses while it reads the header, a malformed
/// header line or one too long for its memory, it answers itself with a small HTML page.)
package enum WebServerRefusal: Explained, Equatable {
    /// The request line or a header field is not HTTP (RFC 9112 §3 and §5), or holds a NUL.
    case malformed(_ what: String)
    /// `Host` is missing, twice there, or no host (RFC 9112 §3.2).
    case badHost
    /// The body's end can be read in two ways: the seed of request smuggling (RFC 9112 §6.3).
    case ambiguousLength
    /// A transfer coding other than `chunked` (RFC 9112 §6.1).
    case unknownTransferCoding
    case bodyTooLarge(maximumBytes: Int)
    /// As many requests as the limits allow are being answered.
    case overloaded
    /// The server is about to stop.
    case draining
    /// The handler took longer than the limits allow.
    case handlerTimedOut
    /// The handler's answer cannot be sent: its status or a header field is not HTTP.
    case brokenAnswer

    /// The HTTP status that goes with it.
    package var status: Int {
        switch self {
        case .malformed, .badHost, .ambiguousLength: 400
        case .unknownTransferCoding: 501
        case .bodyTooLarge: 413
        case .overloaded, .draining: 503
        case .handlerTimedOut: 504
        case .brokenAnswer: 500
        }
    }

    package var code: String {
        switch self {
        case .malformed: "request.malformed"
        case .badHost: "request.bad-host"
        case .ambiguousLength: "request.ambiguous-length"
        case .unknownTransferCoding: "request.unknown-transfer-coding"
        case .bodyTooLarge: "request.body-too-large"
        case .overloaded: "service.overloaded"
        case .draining: "service.draining"
        case .handlerTimedOut: "service.timed-out"
        case .brokenAnswer: "service.broken-answer"
        }
    }

    package var summary: String {
        switch self {
        case .malformed(let what): "the request is not HTTP: \(what)"
        case .badHost: "the request does not name exactly one host"
        case .ambiguousLength: "the request states the length of its body in more than one way"
        case .unknownTransferCoding: "the request's body has a transfer coding other than chunked"
        case .bodyTooLarge(let maximum): "the request's body is larger than \(maximum) bytes"
        case .overloaded: "the service is answering as many requests as it may"
        case .draining: "the service is about to stop"
        case .handlerTimedOut: "the service did not find an answer in time"
        case .brokenAnswer: "the service made an answer that cannot be sent"
        }
    }

    package var remedy: String {
        switch self {
        case .malformed: "send the request with an ordinary HTTP/1.1 client"
        case .badHost: "send one Host header with the name or address of the service"
        case .ambiguousLength: "send either Content-Length or Transfer-Encoding: chunked, once"
        case .unknownTransferCoding: "send the body plain, with its Content-Length"
        case .bodyTooLarge: "send a smaller body, or raise serve.maximumBodyBytes"
        case .overloaded: "try again in a second; if it stays so, raise serve.maximumInFlight"
        case .draining: "ask another instance, or send it again after the restart"
        case .handlerTimedOut: "try again; if it stays so, look for the request id in the log"
        case .brokenAnswer: "look for the request id in the log, and report it"
        }
    }

    package var nature: Nature {
        switch self {
        case .malformed, .badHost, .ambiguousLength, .unknownTransferCoding, .bodyTooLarge: .usage
        case .overloaded, .draining: .unavailable
        case .handlerTimedOut: .timedOut
        case .brokenAnswer: .internalFault
        }
    }

    package static var examples: [WebServerRefusal] {
        [
            .malformed("a NUL in a header"), .badHost, .ambiguousLength, .unknownTransferCoding,
            .bodyTooLarge(maximumBytes: 16_384), .overloaded, .draining, .handlerTimedOut,
            .brokenAnswer,
        ]
    }
}
