/// An answer, complete before its first byte is sent.
///
/// `Content-Length`, `Transfer-Encoding` and `Connection` are the server's and are passed over here;
/// `Date`, `X-Request-Id` and `Server-Timing` are added where they are missing. A body is not sent for HEAD, 204 and
/// 304. A status outside 200…599, a name that is not a word, or a value that is empty or has a control
/// character makes the server answer 500 instead.
package struct HTTPResponse: Sendable {
    package var status: Int
    package var headers: HTTPHeaders
    package var body: [UInt8]
    /// What the time went to, beside the total that the server measures itself.
    package var timings: [ServerTiming] = []
    /// Called once, when this answer and no other is taken for its request: for the access log.
    ///
    /// The handler's and the server's own (the time is over, the server stops) may race for it.
    package var whenTaken: (@Sendable () -> Void)?

    /// An answer with these parts.
    package init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// JSON that is already written; `type` for the likes of `application/problem+json`.
    package static func json(
        _ body: [UInt8], status: Int = 200, type: String = "application/json"
    ) -> HTTPResponse {
        HTTPResponse(status: status, headers: ["Content-Type": type], body: body)
    }

    /// Text in UTF-8.
    package static func text(_ text: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: ["Content-Type": "text/plain; charset=utf-8"],
            body: Array(text.utf8))
    }

    /// A status alone.
    package static func empty(status: Int = 204) -> HTTPResponse {
        HTTPResponse(status: status)
    }

    /// Whether libmicrohttpd and HTTP can carry it.
    var isSound: Bool {
        (200...599).contains(status)
            && headers.fields.allSatisfy { name, value in
                !name.isEmpty && name.isMade { (0x21...0x7E).contains($0) && $0 != 0x3A }
                    && !value.isEmpty && value.isMade { $0 >= 0x20 && $0 != 0x7F }
            }
    }
}
