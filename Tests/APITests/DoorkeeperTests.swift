import Clocks
import Merchants
import Networks
import PKI
import TestSupport
import Testing
import WebServer

@testable import API

/// Who may make which call.
@Suite struct DoorkeeperTests {
    private let clock = ManualClock(Timestamp(seconds: 1_800_000_000))
    private let uses = TokenUses()

    private static let secret = String(repeating: "A", count: TokenForm.secretLength)

    private func token(
        roles: Set<Role> = [.checkout], networks: [String] = [], expiresIn: Int64? = nil,
        isRevoked: Bool = false
    ) throws -> (text: String, tokens: [TokenIdentifier: APIToken]) {
        let id = TokenIdentifier.random()
        let text = "purser_\(id)_\(Self.secret)"
        let record = APIToken(
            id: id, hash: SHA256.hash(Array(text.utf8)), roles: roles, merchants: [],
            networks: try networks.map { try NetworkRange($0) }, note: nil, createdAt: clock.now,
            expiresAt: expiresIn.map { clock.now.adding(seconds: $0) },
            revokedAt: isRevoked ? clock.now : nil)
        return (text, [id: record])
    }

    private func refusal(
        _ headers: HTTPHeaders, peer: Peer = .other("192.0.2.7"),
        rule: AccessRule = .localOr(.checkout), tokens: [TokenIdentifier: APIToken] = [:],
        proxies: [String] = [], isVersion10: Bool = false, isHarmless: Bool = false
    ) throws -> AccessError? {
        let ranges = try proxies.filter { $0 != "unix" }.map { try NetworkRange($0) }
        let doorkeeper = Doorkeeper(
            clock: clock, uses: uses,
            proxies: Doorkeeper.Proxies(ranges, isSocketTrusted: proxies.contains("unix")),
            socketUsers: [1_000])
        var seen = Sighting()
        do throws(AccessError) {
            _ = try doorkeeper.admit(
                HTTPRequest(path: "/", headers: headers, peer: peer, isVersion10: isVersion10),
                by: rule, isHarmless: isHarmless, tokens: tokens, seen: &seen)
            return nil
        } catch {
            return error
        }
    }

    @Test func `without a token this machine may ask for what is local, and nobody for the rest`()
        throws
    {
        let local: HTTPHeaders = ["Host": "localhost"]
        #expect(try refusal(local, peer: .loopback) == nil)
        #expect(try refusal(local, peer: .unixSocket(uid: 1_000)) == nil)
        #expect(
            try refusal(local, peer: .unixSocket(uid: 1_001)) == .tokenRequired(.foreignUser))
        #expect(try refusal(local, peer: .unixSocket(uid: nil)) == .tokenRequired(.foreignUser))
        #expect(try refusal(local) == .tokenRequired(.elsewhere))
        #expect(
            try refusal(["Host": "shop.example"], peer: .loopback) == .tokenRequired(.foreignHost))
        #expect(
            try refusal(local, peer: .loopback, isVersion10: true) == .tokenRequired(.oldVersion))
        #expect(try refusal(local, peer: .loopback, isVersion10: true, isHarmless: true) == nil)
        for role in Role.allCases {
            #expect(try refusal(local, peer: .loopback, rule: .role(role)) == .tokenRequired(nil))
        }
        #expect(try refusal([:], rule: .everybody) == nil)
    }

    @Test func `each role opens its own calls, from everywhere`() throws {
        for role in Role.allCases {
            let (text, tokens) = try token(roles: [role])
            for (host, peer) in [
                ("localhost", Peer.loopback), ("api.example.com", .other("192.0.2.7")),
                ("x", .unixSocket(uid: nil)),
            ] {
                let headers: HTTPHeaders = ["Host": host, "Authorization": "Bearer \(text)"]
                for other in Role.allCases {
                    for rule in [AccessRule.role(other), .localOr(other)] {
                        #expect(
                            try refusal(headers, peer: peer, rule: rule, tokens: tokens)
                                == (other == role ? nil : .roleMissing(other)))
                    }
                }
            }
        }
        let (text, tokens) = try token(roles: [.operator, .auditor])
        let headers: HTTPHeaders = ["Authorization": "bEARER \(text)"]
        #expect(try refusal(headers, rule: .role(.operator), tokens: tokens) == nil)
        #expect(try refusal(headers, rule: .role(.auditor), tokens: tokens) == nil)
        #expect(
            try refusal(headers, rule: .role(.payments), tokens: tokens) == .roleMissing(.payments))
    }

    @Test func `a wrong token fails also where none is needed`() throws {
        let (text, tokens) = try token()
        let last = text.last == "B" ? "C" : "B"
        let wrong = [
            String(text.dropLast()) + last, text + "A", String(text.dropLast()), "purser_", "x",
            text.replacing("purser_", with: "Purser_"), text.uppercased(),
            "purser_000000000000_\(Self.secret)", "purser_../../../etc_\(Self.secret)",
            "purser_\u{E9}00000000000_\(Self.secret)",
        ]
        for wrong in wrong {
            let refused = try refusal(
                ["Host": "localhost", "Authorization": "Bearer \(wrong)"], peer: .loopback,
                tokens: tokens)
            #expect(refused == .tokenUnknown || refused == .malformedCredentials, "\(wrong)")
        }
        for value in [
            text, "Basic \(text)", "Bearer", "Bearer ", "Bearer  \(text)", "Bearer \(text) x",
            "Bearer \(text),\(text)", "bearer\t\(text)",
        ] {
            #expect(
                try refusal(["Authorization": value], tokens: tokens) == .malformedCredentials,
                "\(value)")
        }
        var twice: HTTPHeaders = ["Authorization": "Bearer \(text)"]
        twice.add("authorization", "Bearer \(text)")
        #expect(try refusal(twice, tokens: tokens) == .malformedCredentials)
    }

    @Test func `a token ends on time or when it is revoked`() throws {
        var (text, tokens) = try token(expiresIn: 10)
        let headers: HTTPHeaders = ["Authorization": "Bearer \(text)"]
        clock.move(to: clock.now.adding(seconds: 9))
        #expect(try refusal(headers, tokens: tokens) == nil)
        clock.move(to: clock.now.adding(seconds: 1))
        let id = try #require(tokens.keys.first)
        #expect(try refusal(headers, tokens: tokens) == .tokenExpired(id))
        (text, tokens) = try token(isRevoked: true)
        let revoked = try #require(tokens.keys.first)
        #expect(
            try refusal(["Authorization": "Bearer \(text)"], tokens: tokens)
                == .tokenRevoked(revoked))
    }

    @Test(
        arguments: [
            // Straight from the network: what the caller says of itself means nothing.
            (Peer.other("10.1.2.3"), nil, [], nil), (.other("192.0.2.7"), nil, [], "192.0.2.7"),
            (.other("192.0.2.7"), "10.1.2.3", [], "192.0.2.7"),
            (.loopback, nil, [], "127.0.0.1"),
            // Through a proxy that is named, whose last word counts.
            (.loopback, "10.1.2.3", ["127.0.0.1"], nil),
            (.loopback, "10.1.2.3, 192.0.2.9", ["127.0.0.1"], "192.0.2.9"),
            (.loopback, "192.0.2.9,10.1.2.3", ["127.0.0.1"], nil),
            (.other("172.16.0.2"), "10.1.2.3 , 172.16.0.9", ["172.16.0.0/12"], nil),
            (.other("172.16.0.2"), "192.0.2.9, 172.16.0.9", ["172.16.0.0/12"], "192.0.2.9"),
            (.other("172.16.0.2"), "172.16.0.8,172.16.0.9", ["172.16.0.0/12"], "172.16.0.8"),
            (.unixSocket(uid: 33), "10.1.2.3", ["unix"], nil),
            // ::1 is this machine as well, by whichever name the proxy is trusted.
            (.loopback, "10.1.2.3", ["::1"], nil),
            // Where it cannot be told, a bound token is no good.
            (.loopback, "10.1.2.3", [], "?"), (.unixSocket(uid: 33), nil, [], "?"),
            (.unixSocket(uid: 33), "10.1.2.3", ["127.0.0.1"], "?"),
            (.loopback, "unknown", ["127.0.0.1"], "?"), (.loopback, "", ["127.0.0.1"], "?"),
            (.loopback, "10.1.2.3:443", ["127.0.0.1"], "?"),
            (.loopback, "10.1.2.3, 10.1.2.3\u{0}", ["127.0.0.1"], "?"),
        ] as [(Peer, String?, [String], String?)])
    func `a token that is bound to networks comes from them alone`(
        peer: Peer, forwarded: String?, proxies: [String], seen: String?
    ) throws {
        let (text, tokens) = try token(networks: ["10.0.0.0/8"])
        var headers: HTTPHeaders = ["Host": "api.example.com", "Authorization": "Bearer \(text)"]
        if let forwarded { headers.add("X-Forwarded-For", forwarded) }
        let refused = try refusal(headers, peer: peer, tokens: tokens, proxies: proxies)
        #expect(refused == seen.map { .foreignNetwork($0 == "?" ? nil : $0) })
    }

    @Test(arguments: ["X-Real-IP", "Forwarded", "Via", "X-Cluster-Client-IP", "CDN-Loop"])
    func `where a proxy shows itself and does not tell who calls, a bound token is no good`(
        header: String
    ) throws {
        let (text, tokens) = try token(networks: ["127.0.0.0/8"])
        let headers: HTTPHeaders = ["Host": "localhost", "Authorization": "Bearer \(text)"]
        #expect(try refusal(headers, peer: .loopback, tokens: tokens) == nil)
        var shown = headers
        shown.set(header, "for=10.1.2.3")
        #expect(
            try refusal(shown, peer: .loopback, tokens: tokens) == .foreignNetwork(nil))
        #expect(
            try refusal(headers, peer: .loopback, tokens: tokens, isVersion10: true)
                == .foreignNetwork(nil))
    }

    @Test func `an accepted use is noted, a refused one is not`() throws {
        let (text, tokens) = try token()
        let id = try #require(tokens.keys.first)
        let headers: HTTPHeaders = ["Authorization": "Bearer \(text)"]
        _ = try refusal(["Authorization": "Bearer x\(text)"], tokens: tokens)
        #expect(uses.take().isEmpty)
        _ = try refusal(headers, tokens: tokens)
        clock.move(to: clock.now.adding(seconds: 5))
        _ = try refusal(headers, peer: .unixSocket(uid: 0), tokens: tokens)
        let taken = uses.take()
        #expect(taken == [id: TokenUses.Use(at: clock.now, place: "unix")])
        #expect(uses.take().isEmpty)
        uses.putBack(taken)
        #expect(uses.take() == taken)
    }
}
