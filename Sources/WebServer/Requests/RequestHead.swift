/// A request's line and header fields, and the rules that they must keep before anything is done.
struct RequestHead: Sendable {
    var method: String
    var target: String
    /// Whether these pieces are all that the client sent; not so when it sent a NUL among them.
    var isWhole: Bool
    var isVersion10: Bool
    var headers: HTTPHeaders

    /// The length that `Content-Length` states, when it is one number.
    var declaredLength: Int? { headers["Content-Length"].flatMap { Int($0) } }

    /// The first rule that is broken, in this order; nil when the request may be read on.
    func refusal(maximumBodyBytes: Int) -> WebServerRefusal? {
        lineRefusal ?? fieldRefusal ?? hostRefusal ?? lengthRefusal
            ?? ((declaredLength ?? 0) > maximumBodyBytes
                ? .bodyTooLarge(maximumBytes: maximumBodyBytes) : nil)
    }

    /// Whether the client may want the connection closed after the answer (RFC 9112 §9.3).
    var mayEndConnection: Bool {
        if isVersion10 { return true }
        return headers["Connection"] != nil
    }

    /// The target's path, up to the first `?`, and what follows that.
    var split: (path: String, query: String?) {
        let hasNone = target.isMade { $0 != UInt8(ascii: "?") }
        guard !hasNone, let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else {
            return (target, nil)
        }
        return (String(target[..<mark]), String(target[target.utf8.index(after: mark)...]))
    }
}

// MARK: - The request line (RFC 9112 §3)

extension RequestHead {
    private var lineRefusal: WebServerRefusal? {
        guard isWhole else { return .malformed("it has a NUL, a stray space or a broken line") }
        guard (1...32).contains(method.utf8.count), method.isMade(of: Self.isTokenByte) else {
            return .malformed("its method is not a word")
        }
        guard target.utf8.first == UInt8(ascii: "/") else {
            // The absolute form names a second host beside Host: nothing here is a proxy.
            return .malformed("its target does not begin with a slash")
        }
        return Self.isSoundTarget(target) ? nil : .malformed("its target is not plain ASCII")
    }

    /// Visible ASCII without a fragment; every `%` introduces two hex digits that are not 00.
    private static func isSoundTarget(_ target: String) -> Bool {
        var bytes = target.utf8.makeIterator()
        while let byte = bytes.next() {
            guard (0x21...0x7E).contains(byte), byte != UInt8(ascii: "#") else { return false }
            guard byte == UInt8(ascii: "%") else { continue }
            guard let high = bytes.next().flatMap(PercentEncoding.digit),
                let low = bytes.next().flatMap(PercentEncoding.digit), high | low != 0
            else { return false }
        }
        return true
    }
}

// MARK: - Header fields (RFC 9110 §5, RFC 9112 §5 and §6)

extension RequestHead {
    private var fieldRefusal: WebServerRefusal? {
        for index in headers.fields.indices {
            guard !headers.fields[index].name.isEmpty,
                headers.fields[index].name.isMade(of: Self.isTokenByte)
            else {
                return .malformed("the name of a header field is not a word")
            }
            guard
                headers.fields[index].value.isMade(of: {
                    $0 >= 0x20 && $0 != 0x7F || $0 == 0x09
                })
            else {
                return .malformed("a header field has a NUL or another control character")
            }
        }
        return nil
    }

    private var hostRefusal: WebServerRefusal? {
        let hosts = headers.values(of: "Host")
        if hosts.isEmpty && isVersion10 { return nil }
        guard hosts.count == 1, let host = hosts.first, Self.isSoundHost(host) else {
            return .badHost
        }
        return nil
    }

    private var lengthRefusal: WebServerRefusal? {
        let lengths = headers.values(of: "Content-Length")
        let codings = headers.values(of: "Transfer-Encoding")
        if lengths.count > 1 || (!lengths.isEmpty && !codings.isEmpty) { return .ambiguousLength }
        if let length = lengths.first, !length.isMade(of: { (0x30...0x39).contains($0) }) {
            return .ambiguousLength
        }
        guard !codings.isEmpty else { return nil }
        // HTTP/1.0 has no transfer codings: whoever adds one there has another idea of the end.
        if isVersion10 { return .ambiguousLength }
        let isChunked = codings.count == 1 && codings[0].lowercased() == "chunked"
        return isChunked ? nil : .unknownTransferCoding
    }

    /// `name`, `name:port`, an IPv4 address or `[IPv6]:port`; not its grammar, but its alphabet.
    private static func isSoundHost(_ host: String) -> Bool {
        (1...260).contains(host.utf8.count)
            && host.isMade { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"),
                    UInt8(ascii: "["), UInt8(ascii: "]"):
                    true
                default: false
                }
            }
    }

    /// A `tchar` of RFC 9110 §5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"),
            UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"),
            UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
