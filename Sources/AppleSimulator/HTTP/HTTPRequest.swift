/// One request: HTTP/1.1 with, at most, a body of a told length (RFC 9112).
///
/// Strict where leniency would hide a client's fault: no other version, no bare line feeds, no
/// folded or doubled decisive fields, no transfer coding.
struct HTTPRequest {
    let method: String
    /// The target before `?`, as it was sent.
    let path: String
    /// The decoded parameters behind `?`.
    let query: [String: String]
    /// Names in lower case.
    let fields: [String: String]
    let contentLength: Int
    var body: [UInt8] = []

    /// Whether the client asked for the connection to end after the answer.
    var asksToClose: Bool { fields["connection"]?.lowercased() == "close" }

    /// Whether the client waits for a word before it sends the body.
    var expectsContinue: Bool { fields["expect"]?.lowercased() == "100-continue" }

    /// Reads a head, which ends before its empty line.
    init(head: some Collection<UInt8>) throws(HTTPFault) {
        guard head.allSatisfy({ $0 == 0x09 || $0 == 0x0D || $0 == 0x0A || $0 >= 0x20 }) else {
            throw HTTPFault(400, "control character in the head")
        }
        var lines = try Self.lines(of: head)
        let parts = lines.removeFirst().split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, Self.isToken(parts[0]) else {
            throw HTTPFault(400, "malformed request line")
        }
        guard parts[2] == "HTTP/1.1" else { throw HTTPFault(505, "HTTP/1.1 only") }
        guard parts[1].hasPrefix("/") else { throw HTTPFault(400, "the target is not a path") }
        method = String(parts[0])
        let target = parts[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(target[0])
        query = target.count > 1 ? try Self.parameters(target[1]) : [:]
        fields = try Self.fields(lines)
        guard fields["host"] != nil else { throw HTTPFault(400, "no Host") }
        guard fields["transfer-encoding"] == nil else {
            throw HTTPFault(411, "a Content-Length is required")
        }
        let length = fields["content-length"] ?? "0"
        guard length.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(length) else {
            throw HTTPFault(400, "malformed Content-Length")
        }
        contentLength = count
    }

    private static func lines(
        of head: some Collection<UInt8>
    ) throws(HTTPFault) -> [Substring] {
        // Not String.split: Swift takes CR LF for one Character.
        let text = String(decoding: head, as: UTF8.self).unicodeScalars
        var lines: [Substring] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            lines.append(Substring(line))
        }
        for index in lines.indices.dropLast() {
            guard lines[index].unicodeScalars.last == "\r" else {
                throw HTTPFault(400, "a line ends without CR")
            }
            lines[index].unicodeScalars.removeLast()
        }
        guard lines.allSatisfy({ !$0.unicodeScalars.contains("\r") }) else {
            throw HTTPFault(400, "a CR within a line")
        }
        return lines
    }

    private static func fields(_ lines: [Substring]) throws(HTTPFault) -> [String: String] {
        var fields: [String: String] = [:]
        for line in lines {
            guard let colon = line.firstIndex(of: ":"), isToken(line[..<colon]) else {
                throw HTTPFault(400, "malformed header field")
            }
            let name = line[..<colon].lowercased()
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            if fields.updateValue(String(value), forKey: name) != nil {
                guard !["host", "content-length", "content-type"].contains(name) else {
                    throw HTTPFault(400, "\(name) twice")
                }
            }
        }
        return fields
    }

    private static func parameters(_ text: Substring) throws(HTTPFault) -> [String: String] {
        var parameters: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = sides[0].decodingPercents,
                let value = (sides.count > 1 ? sides[1] : "").decodingPercents,
                parameters.updateValue(value, forKey: name) == nil
            else {
                throw HTTPFault(400, "malformed query")
            }
        }
        return parameters
    }

    private static func isToken(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}

extension Substring {
    /// The text with its `%` escapes undone; nil when one is malformed or the bytes are not UTF-8.
    fileprivate var decodingPercents: String? {
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(rest.prefix(2)) ?? "", radix: 16) else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
