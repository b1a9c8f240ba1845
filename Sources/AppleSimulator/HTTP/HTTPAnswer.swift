/// An answer before it is framed.
struct HTTPAnswer {
    var status: Int
    var contentType: String
    var fields: [(name: String, value: String)] = []
    var body: [UInt8]

    init(_ status: Int, json: String) {
        self.status = status
        contentType = "application/json;charset=UTF-8"
        body = Array(json.utf8)
    }

    init(_ status: Int, type: String, _ body: [UInt8]) {
        self.status = status
        contentType = type
        self.body = body
    }

    /// The bytes on the wire, the body with its length or in chunks.
    ///
    /// `announcedLength` can tell of more bytes than come.
    func encoded(closing: Bool, chunked: Bool = false, announcedLength: Int? = nil) -> [UInt8] {
        var head = "HTTP/1.1 \(status) \(Self.reason(status))\r\n"
        head += "Server: Apple Simulator (not Apple)\r\nContent-Type: \(contentType)\r\n"
        for field in fields { head += "\(field.name): \(field.value)\r\n" }
        if closing { head += "Connection: close\r\n" }
        guard chunked else {
            head += "Content-Length: \(announcedLength ?? body.count)\r\n\r\n"
            return Array(head.utf8) + body
        }
        head += "Transfer-Encoding: chunked\r\n\r\n"
        var bytes = Array(head.utf8)
        var rest = body[...]
        while !rest.isEmpty {
            // Odd and small, so that a reader meets many chunks that end in the middle of things.
            let part = rest.prefix(997)
            bytes += Array("\(String(part.count, radix: 16))\r\n".utf8) + part + [0x0D, 0x0A]
            rest = rest.dropFirst(part.count)
        }
        return bytes + Array("0\r\n\r\n".utf8)
    }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 201: "Created"
        case 204: "No Content"
        case 302: "Found"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 409: "Conflict"
        case 411: "Length Required"
        case 413: "Content Too Large"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: "Status"
        }
    }
}

/// `text` as a JSON string with its quotation marks (RFC 8259 §7).
func jsonString(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": quoted += "\\\""
        case "\\": quoted += "\\\\"
        case "\n": quoted += "\\n"
        case "\r": quoted += "\\r"
        case "\t": quoted += "\\t"
        case "\u{0}"..."\u{1F}":
            let hex = String(scalar.value, radix: 16)
            quoted += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
        default: quoted.unicodeScalars.append(scalar)
        }
    }
    return quoted + "\""
}
