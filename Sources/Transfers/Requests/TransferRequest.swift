/// One HTTPS request: what to send, to where, and for how long to wait.
package struct TransferRequest: Sendable {
    /// The HTTP methods that this program has a use for.
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    /// Decides too whether ``body`` is sent.
    package var method: Method
    /// An absolute URL, without a user name in it.
    package var url: String
    /// Sent in this order; `Content-Type` is not made up where it is missing.
    package var headers: [HeaderField]
    /// Sent as it is; not sent at all with `GET` and `DELETE`.
    package var body: [UInt8]
    /// What is left of the caller's own budget, waiting for a free connection included.
    ///
    /// Nil leaves it to ``PoolConfiguration/totalTimeout``.
    package var timeLimit: Duration?
    /// Whether a connection is opened for it, even where a kept one is free.
    ///
    /// For the second try after ``TransferError/closedBeforeAnswer(connectionReused:)``: where one
    /// kept connection has been closed by the server, the next may be closed as well.
    package var onNewConnection = false

    /// Whether the status says all: of an answer over the limit the rest is left unread, and what
    /// came before it is the body.
    package var statusSuffices = false

    /// A request that may use a kept connection; checked when it is sent.
    package init(
        _ method: Method, _ url: String, headers: [HeaderField] = [], body: [UInt8] = [],
        timeLimit: Duration? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeLimit = timeLimit
    }
}

extension TransferRequest {
    /// The URL's host, with its port where one is written: what errors name.
    var authority: String { String(decoding: authorityBytes, as: UTF8.self) }

    private var authorityBytes: Substring.UTF8View {
        url.utf8.drop { $0 != UInt8(ascii: ":") }.dropFirst(3).prefix { byte in
            byte != UInt8(ascii: "/") && byte != UInt8(ascii: "?") && byte != UInt8(ascii: "#")
        }
    }

    /// Refuses what would be cut at a NUL, split into two headers, or sent to another place.
    ///
    /// - Throws: ``TransferError/requestRefused(_:)``.
    func validate(plainHTTPAllowed: Bool) throws(TransferError) {
        // Certificates may name `HTTP://…`: schemes have no case (RFC 3986 §3.1).
        let scheme = url.prefix(8).lowercased()
        guard scheme == "https://" || (plainHTTPAllowed && scheme.hasPrefix("http://")) else {
            throw .requestRefused("its URL does not start with https://")
        }
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .requestRefused("its URL has a character that must be percent-encoded")
        }
        let authority = authorityBytes
        guard !authority.isEmpty, !authority.contains(UInt8(ascii: "@")) else {
            throw .requestRefused("its URL has no host, or a user name before it")
        }
        for field in headers {
            guard !field.name.isEmpty, field.name.utf8.allSatisfy(isTokenCharacter) else {
                throw .requestRefused("a header's name is not an HTTP token")
            }
            // Obsolete folding and NUL, RFC 9110 §5.5; libcurl would send them as they are.
            guard field.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                throw .requestRefused("the header \(field.name) has a control character")
            }
        }
    }
}

/// A letter, a digit or one of the marks of RFC 9110 §5.6.2.
private func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
    default:
        "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}
