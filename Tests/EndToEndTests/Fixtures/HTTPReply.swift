import TestSupport

/// What `curl` got for one request.
struct HTTPReply: Sendable {
    let status: Int
    /// Names in lower case.
    let headers: [String: String]
    let body: [UInt8]

    /// The body as JSON; null where it is none.
    var json: JSON { (try? JSON(body)) ?? .null }
    /// The stable code of a problem document.
    var code: String? { json["code"].text }

    /// Asks with `curl`; throws where there was no answer.
    static func asking(_ arguments: [String], body: [UInt8]? = nil) async throws -> HTTPReply {
        let upload = body == nil ? [] : ["--data-binary", "@-"]
        let result = try await tool(
            "curl", ["-sS", "-i", "--http1.1", "--noproxy", "*", "-m", "60"] + upload + arguments,
            input: body ?? [])
        return try HTTPReply(result.output)
    }

    /// Reads what `curl -i` prints.
    init(_ bytes: [UInt8]) throws {
        let gap = Array("\r\n\r\n".utf8)
        guard
            let end = bytes.indices.first(where: { bytes[$0...].starts(with: gap) }),
            case let lines = String(decoding: bytes[..<end], as: UTF8.self).split(
                separator: "\r\n"),
            let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { throw Failure("not HTTP: \(String(decoding: bytes.prefix(200), as: UTF8.self))") }
        self.status = status
        headers = Dictionary(
            lines.dropFirst().compactMap { line in
                line.firstIndex(of: ":").map { colon in
                    (
                        line[..<colon].lowercased(),
                        String(line[line.index(after: colon)...].drop { $0 == " " })
                    )
                }
            }, uniquingKeysWith: { "\($0), \($1)" })
        body = Array(bytes[(end + gap.count)...])
    }
}
