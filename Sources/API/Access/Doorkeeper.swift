package import Clocks
import Merchants
package import Networks
import PKI
import WebServer

/// Decides who may make which call; the one place where that happens.
///
/// A token that is shown always counts, and where it is wrong the call fails, also from this machine
/// itself: who sends one wants it checked. Without one only ``AccessRule/localOr(_:)`` is open, to
/// local callers, and ``AccessRule/everybody``.
package struct Doorkeeper: Sendable {
    /// The reverse proxies whose word for the caller's address counts; none unless they are named.
    package struct Proxies: Sendable {
        private let ranges: [NetworkRange]
        private let isSocketTrusted: Bool
        private static let version6 = IPAddress("::1")

        /// `isSocketTrusted` is for a proxy that connects to the Unix socket.
        package init(_ ranges: [NetworkRange] = [], isSocketTrusted: Bool = false) {
            self.ranges = ranges
            self.isSocketTrusted = isSocketTrusted
        }

        func trust(_ peer: Peer, _ address: IPAddress?) -> Bool {
            switch peer {
            case .unixSocket: return isSocketTrusted
            // By which of the two a caller on this machine came is not kept.
            case .loopback: if Self.version6.map(contain) == true { return true }
            case .other: break
            }
            return address.map(contain) ?? false
        }

        func contain(_ address: IPAddress) -> Bool {
            ranges.contains { $0.contains(address) }
        }
    }

    private let clock: any WallClock
    private let proxies: Proxies
    private let socketUsers: Set<UInt32>
    private let uses: TokenUses

    /// `socketUsers` are the uids that may ask by the Unix socket without a token; `uses` is told of
    /// each token that is accepted.
    package init(
        clock: any WallClock, uses: TokenUses, proxies: Proxies = Proxies(),
        socketUsers: Set<UInt32> = []
    ) {
        self.clock = clock
        self.uses = uses
        self.proxies = proxies
        self.socketUsers = socketUsers
    }

    /// Who makes `request`, if that caller may make a call of this rule.
    ///
    /// `seen` gets what is found out on the way, also of whom is turned away.
    ///
    /// - Throws: ``AccessError``.
    func admit(
        _ request: HTTPRequest, by rule: AccessRule, isHarmless: Bool,
        tokens: @autoclosure () -> [TokenIdentifier: APIToken], seen: inout Sighting
    ) throws(AccessError) -> Caller {
        guard let role = rule.role else { return Caller(token: nil, address: nil) }
        guard let text = try Self.bearerToken(request.headers) else {
            if case .role = rule { throw .tokenRequired(nil) }
            let objection = LocalCaller.objection(
                to: request, socketUsers: socketUsers, isHarmless: isHarmless)
            if let objection { throw .tokenRequired(objection) }
            return Caller(token: nil, address: CallerAddress.address(of: request.peer))
        }
        let address = CallerAddress.of(request, trusting: proxies)
        seen.address = address
        let token = try token(text, from: address, among: tokens(), seen: &seen)
        guard token.roles.contains(role) else { throw .roleMissing(role) }
        return Caller(token: token, address: address)
    }

    /// The token in `text`, where it is one of ours that is accepted now from `address`.
    private func token(
        _ text: String, from address: IPAddress?, among tokens: [TokenIdentifier: APIToken],
        seen: inout Sighting
    ) throws(AccessError) -> APIToken {
        // The id is no secret, so looking it up may take as long as it takes; the hash is compared
        // in constant time. Whether the id exists is not told.
        guard let id = TokenForm.identifier(in: text), let token = tokens[id],
            Self.isSame(SHA256.hash(Array(text.utf8)), token.hash)
        else { throw .tokenUnknown }
        seen.token = id
        let now = clock.now
        switch token.refusal(at: now, from: address) {
        case .revoked: throw .tokenRevoked(id)
        case .expired: throw .tokenExpired(id)
        case .foreignNetwork: throw .foreignNetwork(address?.description)
        case nil: break
        }
        uses.note(id, at: now, from: address)
        return token
    }

    private static func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        var difference: UInt8 = 0
        for index in one.indices { difference |= one[index] ^ other[index] }
        return difference == 0
    }

    /// The token of `Authorization: Bearer TOKEN` (RFC 6750 §2.1); nil without the header.
    private static func bearerToken(_ headers: HTTPHeaders) throws(AccessError) -> String? {
        let values = headers.values(of: "Authorization")
        guard let value = values.first else { return nil }
        let scheme = value.prefix(7)
        guard values.count == 1, scheme.utf8.count == 7, scheme.lowercased() == "bearer " else {
            throw .malformedCredentials
        }
        let token = value.dropFirst(7)
        // RFC 6750's b64token; what is left over would be a second credential.
        guard !token.isEmpty, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x2C }) else {
            throw .malformedCredentials
        }
        return String(token)
    }
}
