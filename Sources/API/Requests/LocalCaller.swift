import WebServer

/// Whether a request came from this machine itself, without a token to say who sent it.
///
/// Behind a proxy on this machine every caller looks local. So the peer must be loopback or the
/// Unix socket, no proxy may have left a trace, and the Host must be a loopback name: a web page
/// that makes a browser call 127.0.0.1 under a name of its own (DNS rebinding) is turned away.
///
/// That is not enough for a proxy that leaves no trace. nginx's bare `proxy_pass` adds no header, and
/// passes the upstream's own name as Host: `127.0.0.1:8765` for a TCP address and `localhost` for a
/// Unix socket. What shows it is that it speaks HTTP/1.0, so calls that are for local callers alone
/// must come by HTTP/1.1 (``RequestError/oldVersion``), over TCP and over the Unix socket alike. The
/// socket's mode is no guard there: who lets the proxy connect to it has opened it on purpose. No
/// client is lost: all HTTP libraries, curl and wget speak HTTP/1.1.
enum LocalCaller {
    static func made(_ request: HTTPRequest) -> Bool {
        isDirect(request) && namesLoopback(request)
    }

    /// Whether the peer is on this machine, and no proxy has left a trace.
    static func isDirect(_ request: HTTPRequest) -> Bool {
        if case .other = request.peer { return false }
        return !request.headers.fields.contains { isProxyField($0.name) }
    }

    /// Whether the Host is a loopback name.
    static func namesLoopback(_ request: HTTPRequest) -> Bool {
        // Only HTTP/1.0 may lack it, and that gets no further than a health check.
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
