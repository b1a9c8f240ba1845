import Merchants
import Sessions
import WebServer

/// `GET /.well-known/apple-developer-merchantid-domain-association`, and the same with `.txt`: the
/// file of the domain under which it is asked, for whoever asks.
///
/// Apple fetches it, from wherever it likes and through whatever stands before this service, so
/// neither a token nor the peer, the version of HTTP or a proxy's traces matter. The file is public by
/// its nature; every other Host gets what a path that does not exist gets.
enum AssociationFileCall {
    static let all = AssociationFacts.paths.map { path in
        Call(
            method: "GET", path: path,
            summary: "Apple's association file of the domain that the Host names.",
            rule: .everybody, isHarmless: true, takesAnyQuery: true,
            answers: [
                AnswerShape(200, "Its bytes.", type: type(of: path), .string()),
                AnswerShape(304, "The client has them."),
            ]
        ) { context in
            guard let response = answer(context.request, context.api.desk.roster) else {
                throw RequestError.noAssociationFile
            }
            return Answer(response)
        }
    }

    /// What web servers say of a file with this name; Apple minds the bytes alone.
    private static func type(of path: String) -> String {
        path.hasSuffix(".txt") ? "text/plain" : "application/octet-stream"
    }

    /// The answer; nil where there is no file for the Host, which is for the caller to say.
    ///
    /// It may be kept by caches as long as they ask whether it is the same still: a file that was
    /// replaced must be what Apple sees.
    static func answer(_ request: HTTPRequest, _ roster: Roster) -> HTTPResponse? {
        guard let host = request.headers["Host"],
            let file = roster.associationFile(forHost: host)
        else { return nil }
        var response = HTTPResponse(
            status: 200,
            headers: [
                "Content-Type": type(of: request.path),
                "ETag": file.entityTag, "Cache-Control": "no-cache",
                "X-Content-Type-Options": "nosniff",
            ], body: file.bytes)
        if isKnown(file.entityTag, to: request) {
            response.status = 304
            response.body = []
        }
        return response
    }

    /// Whether the client has these bytes already (RFC 9110 §13.1.2, weak comparison).
    private static func isKnown(_ tag: String, to request: HTTPRequest) -> Bool {
        request.headers.values(of: "If-None-Match").contains { value in
            value.split(separator: ",").contains { entry in
                var entry = entry.drop { $0 == " " || $0 == "\t" }
                while let last = entry.last, last == " " || last == "\t" { entry.removeLast() }
                if entry.hasPrefix("W/") { entry = entry.dropFirst(2) }
                return entry == tag || entry == "*"
            }
        }
    }
}
