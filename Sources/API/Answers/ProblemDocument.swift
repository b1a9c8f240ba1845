import Database
import FoundationEssentials
package import Problems
import Sessions
import WebServer

/// An error as RFC 9457 `application/problem+json`.
///
/// `type, title, status, detail` are the standard's; `code`, `remedy` and `requestId` are ours.
/// The HTTP status is chosen here and nowhere else.
package struct ProblemDocument: Sendable, Encodable {
    package let type: String
    package let title: String
    package let status: Int
    package let detail: String
    package let code: String
    package let remedy: String
    package let requestId: String

    /// The document for `error`; one that is not ours shows the request's id and nothing else.
    package init(_ error: any Error, requestID: String) {
        let report = ErrorReport(error, reference: requestID)
        let status = Self.status(of: error, nature: report.nature)
        self.status = status
        type = "about:blank"
        title = Self.titles[status] ?? "Error"
        detail = report.summary
        code = report.code
        remedy = report.remedy
        requestId = requestID
    }

    /// The document's bytes.
    package var bytes: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // A struct of strings and a number cannot fail to encode.
        return (try? Array(encoder.encode(self))) ?? Array("{}".utf8)
    }

    private static func status(of error: any Error, nature: Nature) -> Int {
        // HTTP has statuses of its own for these.
        switch error {
        case RequestError.notJSON: 415
        case RequestError.methodNotAllowed: 405
        case SessionError.throttled: 503
        case let refusal as WebServerRefusal: refusal.status
        case let refusal as AccessError: refusal.status
        // Nothing that the caller could change.
        case DatabaseError.diskFull, DatabaseError.readOnly: 503
        default: status(of: nature)
        }
    }

    /// The HTTP status of each sort of failure.
    package static func status(of nature: Nature) -> Int {
        switch nature {
        case .usage: 400
        case .badData: 422
        case .conflict, .cannotCreate: 409
        case .notFound: 404
        case .unreachable, .refused: 502
        case .timedOut: 504
        case .unavailable: 503
        case .internalFault, .configuration: 500
        case .denied: 403
        }
    }

    // RFC 9457: with about:blank the title is that of the status.
    private static let titles: [Int: String] = [
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed",
        409: "Conflict", 411: "Length Required", 413: "Content Too Large",
        414: "URI Too Long", 415: "Unsupported Media Type",
        422: "Unprocessable Content", 429: "Too Many Requests",
        431: "Request Header Fields Too Large",
        500: "Internal Server Error",
        501: "Not Implemented", 502: "Bad Gateway",
        503: "Service Unavailable", 504: "Gateway Timeout",
    ]
}
