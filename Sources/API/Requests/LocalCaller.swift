import WebServer

/// Whether a request came from this machine itself, without a token to say who sent it.
///
/// Behind a proxy on this machine every caller looks local. So the peer must be loopback or the
/// Unix socket, no proxy may have left a trace, and the Host must be a loopback name: a web page
/// that makes a browser call 127.0.0.1 under a name of its own (DNS rebinding) is turned away.
enum LocalCaller {
    private static let proxyFields: Set<String> = [
        "forwarded", "via", "x-real-ip", "x-client-ip", "true-client-ip", "cf-connecting-ip",
    ]

    static func made(_ request: HTTPRequest) -> Bool {
        if case .other = request.peer { return false }
        let isForwarded = request.headers.fields.contains { field in
            let name = field.name.lowercased()
            return name.hasPrefix("x-forwarded-") || proxyFields.contains(name)
        }
        guard !isForwarded else { return false }
        // HTTP/1.0 has no Host; nobody but a tool on this machine speaks it here.
        guard let host = request.headers["Host"] else { return true }
        return isLoopbackName(host)
    }

    private static func isLoopbackName(_ host: String) -> Bool {
        let host = host.lowercased()
        if host.hasPrefix("[") {
            return host == "[::1]" || host.hasPrefix("[::1]:")
        }
        let name = host.utf8.prefix { $0 != UInt8(ascii: ":") }
        if name.elementsEqual("localhost".utf8) { return true }
        let parts = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0].elementsEqual("127".utf8)
            && parts.allSatisfy { UInt8(Substring($0)) != nil }
    }
}
