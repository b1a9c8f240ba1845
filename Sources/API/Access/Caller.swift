import Merchants
import Networks
import WebServer

/// Who makes a call, once that is settled.
struct Caller: Sendable {
    /// The token that was shown and accepted; nil: whoever may call without one.
    let token: APIToken?
    /// Where the call comes from; nil where that cannot be told, as by a Unix socket.
    let address: IPAddress?

    /// Whether the caller may ask about `merchant`.
    func covers(_ merchant: MerchantIdentifier) -> Bool { token?.covers(merchant) ?? true }

    /// The merchants that alone the caller may ask about; empty: all.
    var merchants: Set<MerchantIdentifier> { token?.merchants ?? [] }
}

/// What is found out of whoever makes a call, for the log: also of whom is turned away.
struct Sighting: Sendable {
    /// The token that was shown, once it is known to be one of ours.
    var token: TokenIdentifier?
    /// Where the call comes from, where a token made somebody look.
    var address: IPAddress?
}

/// Where a call comes from, also behind a reverse proxy that may tell.
enum CallerAddress {
    /// The address of whoever made `request`; nil where it cannot be told.
    ///
    /// `X-Forwarded-For` is believed from a trusted peer alone, and read from its end: what stands
    /// before the first address that is not a trusted proxy's, anybody may have written.
    static func of(_ request: HTTPRequest, trusting proxies: Doorkeeper.Proxies) -> IPAddress? {
        let forwarded = request.headers.values(of: "X-Forwarded-For")
        let peer = address(of: request.peer)
        guard !forwarded.isEmpty else {
            // Where a proxy on this machine has left another trace, its callers are not told apart.
            if case .other = request.peer { return peer }
            return LocalCaller.isTraceOfProxy(in: request) ? nil : peer
        }
        guard proxies.trust(request.peer, peer) else {
            // From another machine it is the peer's own word. On this one a proxy stands between
            // that nobody has named.
            if case .other = request.peer { return peer }
            return nil
        }
        var told: IPAddress?
        for text in forwarded.joined(separator: ",").split(separator: ",").reversed() {
            guard let address = IPAddress(text.trimmingBlanks) else { return nil }
            told = address
            if !proxies.contain(address) { return address }
        }
        return told
    }

    static func address(of peer: Peer) -> IPAddress? {
        switch peer {
        case .loopback: IPAddress(bytes: [127, 0, 0, 1])
        case .unixSocket: nil
        case .other(let text): IPAddress(text)
        }
    }
}

extension Substring {
    /// Without blanks and tabs at its ends.
    var trimmingBlanks: Substring {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        var rest = drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return rest
    }
}
