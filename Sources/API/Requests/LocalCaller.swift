import WebServer

/// Whether a request came from this machine itself, without a token to say who sent it.
///
/// Behind a proxy on this machine every caller looks local. So the peer must be loopback or the
/// Unix socket, no proxy may have left a trace, and the Host must be a loopback name: a web page
/// that makes a browser call 127.0.0.1 under a name of its own (DNS rebinding) is turned away.
enum LocalCaller {
    static func made(_ request: HTTPRequest) -> Bool {
        if case .other = request.peer { return false }
        guard !request.headers.fields.contains(where: { isProxyField($0.name) }) else {
            return false
        }
        // HTTP/1.0 has no Host; nobody but a tool on this machine speaks it here.
        guard let host = request.headers["Host"] else { return true }
        return isLoopbackName(host)
    }

    private static func isProxyField(_ name: String) -> Bool {
        switch name.lowercased() {
        case "forwarded", "via", "x-real-ip", "x-client-ip", "true-client-ip", "cf-connecting-ip":
            true
        case let name: name.hasPrefix("x-forwarded-")
        }
    }

    private static func isLoopbackName(_ host: String) -> Bool {
        let host = host.lowercased()
        if host.hasPrefix("[") {
            return host == "[::1]" || host.hasPrefix("[::1]:")
        }
        let name = host.utf8.prefix { $0 != UInt8(ascii: ":") }
        return name.elementsEqual("localhost".utf8) || isLoopbackAddress(name)
    }

    /// 127 and three more numbers that fit a byte, with dots between them.
    private static func isLoopbackAddress(_ name: Substring.UTF8View) -> Bool {
        var dots = 0
        var number: Int?
        for byte in name {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                let grown = (number ?? 0) * 10 + Int(byte - UInt8(ascii: "0"))
                guard grown <= 255 else { return false }
                number = grown
            case UInt8(ascii: "."):
                guard let ended = number, dots > 0 || ended == 127 else { return false }
                dots += 1
                number = nil
            default: return false
            }
        }
        return dots == 3 && number != nil
    }
}
