import WebServer

/// Whether a request came from this machine itself, without a token to say who sent it.
///
/// Behind a proxy on this machine every caller looks local. So the peer must be loopback or the
/// Unix socket, no proxy may have left a trace, and the Host must be a loopback name: a web page
/// that makes a browser call 127.0.0.1 under a name of its own (DNS rebinding) is turned away.
///
/// That is not enough for a proxy that leaves no trace. nginx's bare `proxy_pass` adds no header, and
/// passes the upstream's own name as Host: `127.0.0.1:8765` for a TCP address and `localhost` for a
/// Unix socket. What shows it is that it speaks HTTP/1.0, so calls that local callers may make without
/// a token must come by HTTP/1.1 (``Objection/oldVersion``), over TCP and over the Unix socket alike. The
/// socket's mode is no guard there: who lets the proxy connect to it has opened it on purpose. No
/// client is lost: all HTTP libraries, curl and wget speak HTTP/1.1.
package enum LocalCaller {
    /// Why a request does not count as this machine's own.
    package enum Objection: String, Sendable, Hashable, CaseIterable {
        /// It comes from another machine, or through a proxy.
        case elsewhere
        /// Its Host is no name of this machine's loopback.
        case foreignHost
        /// It comes by HTTP/1.0.
        case oldVersion
        /// By the Unix socket, from a user who is not one of ``Doorkeeper/Rules/socketUsers``.
        case foreignUser

        var summary: String {
            switch self {
            case .elsewhere: "it does not come from this machine itself"
            case .foreignHost: "its Host is no name of this machine's loopback"
            case .oldVersion: "it came by HTTP/1.0, as a proxy sends it that hides the caller"
            case .foreignUser: "its user is not one who may ask by the Unix socket without"
            }
        }

        var remedy: String {
            switch self {
            case .elsewhere: "send Authorization: Bearer TOKEN"
            case .foreignHost:
                "send the Host localhost or 127.0.0.1, by a Unix socket too; or a token"
            case .oldVersion: "send it by HTTP/1.1 with no proxy in between, or with a token"
            case .foreignUser: "name the user in serve.socketUsers, or send a token"
            }
        }
    }

    /// Why `request` is not this machine's own; nil: it is.
    ///
    /// `socketUsers` are the uids that may use the Unix socket; `isHarmless` lets HTTP/1.0 pass, for
    /// old health checkers.
    static func objection(
        to request: HTTPRequest, socketUsers: Set<UInt32>, isHarmless: Bool
    ) -> Objection? {
        switch request.peer {
        case .other: return .elsewhere
        case .unixSocket(let uid):
            guard let uid, socketUsers.contains(uid) else { return .foreignUser }
        case .loopback: break
        }
        if hasProxyField(request) { return .elsewhere }
        // Only HTTP/1.0 may lack it, and that gets no further than a health check.
        if let host = request.headers["Host"], !isLoopbackName(host) { return .foreignHost }
        return request.isVersion10 && !isHarmless ? .oldVersion : nil
    }

    /// Whether a proxy has shown itself, by a header or by the version that it speaks.
    static func isTraceOfProxy(in request: HTTPRequest) -> Bool {
        request.isVersion10 || hasProxyField(request)
    }

    private static func hasProxyField(_ request: HTTPRequest) -> Bool {
        request.headers.fields.contains { isProxyField($0.name) }
    }

    /// Looks at the length first, as each field of each request without a token passes here.
    private static func isProxyField(_ name: String) -> Bool {
        let known: [String] =
            switch name.utf8.count {
            case 3: ["via"]
            case 8: ["cdn-loop"]
            case 9: ["forwarded", "x-real-ip"]
            case 11: ["x-client-ip"]
            case 13: ["fly-client-ip"]
            case 14: ["true-client-ip"]
            case 15: ["x-original-host"]
            case 16:
                ["cf-connecting-ip", "x-azure-clientip", "fastly-client-ip", "x-originating-ip"]
            case 19: ["x-cluster-client-ip"]
            case 24: ["x-envoy-external-address", "x-original-forwarded-for"]
            default: []
            }
        if known.contains(where: { HTTPHeaders.isSame(name, $0) }) { return true }
        return name.utf8.count >= 12 && name.lowercased().hasPrefix("x-forwarded-")
    }

    private static func isLoopbackName(_ host: String) -> Bool {
        if host.utf8.first == UInt8(ascii: "[") {
            return host == "[::1]" || host.hasPrefix("[::1]:")
        }
        let name = host.utf8.prefix { $0 != UInt8(ascii: ":") }
        return isLoopbackAddress(name)
            || name.count == 9 && HTTPHeaders.isSame(String(Substring(name)), "localhost")
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
