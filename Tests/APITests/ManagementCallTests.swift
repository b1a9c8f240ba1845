import Clocks
import Database
import FoundationEssentials
import HomeSupport
import Issuance
import Merchants
import Networks
import PKI
import Registry
import Secrets
import SessionSupport
import Sessions
import TestSupport
import Testing
import Transfers
import WebServer

@testable import API

/// The calls of operators and auditors, on a real home.
@Suite struct ManagementCallTests {
    private let shop: Shop
    private let sessions: SessionDesk
    private let api: ServiceAPI

    init() async throws {
        shop = try await Shop()
        sessions = SessionDesk(roster: Roster([], known: []), loop: try TransferLoop())
        let (home, desk) = (shop.home, sessions)
        api = ServiceAPI(
            desk: sessions,
            home: HomeDesk(
                home: home, vault: shop.vault, desk: sessions, periods: RotationPeriods()
            ) {
                guard let tokens = try? await home.database.read({ try APITokens.list(in: $0) })
                else { return }
                desk.replace(roster: Roster([], known: [], tokens: tokens))
            },
            doorkeeper: Doorkeeper(), version: "1",
            readiness: { Readiness(merchants: 0, unreadable: 0, reasons: []) },
            log: AccessLog(clock: SystemClock(), write: { _ in }),
            counters: RequestCounters(loops: 1), report: { _, _ in })
    }

    /// A token that the API knows.
    private func token(_ roles: Role..., merchants: [String] = []) async throws -> String {
        let made = try await shop.home.createToken(
            TokenWish(
                roles: Set(roles),
                merchants: Set(try merchants.map { try MerchantIdentifier($0) })))
        let tokens = try await shop.home.database.read { try APITokens.list(in: $0) }
        sessions.replace(roster: Roster([], known: [], tokens: tokens))
        return made.text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    private struct Reply {
        let status: Int
        let body: [UInt8]
        let headers: HTTPHeaders

        func code() throws -> String {
            struct Problem: Decodable { var code: String }
            return try JSONDecoder().decode(Problem.self, from: Data(body)).code
        }
        func read<Value: Decodable>(_ type: Value.Type) throws -> Value {
            try JSONDecoder().decode(type, from: Data(body))
        }
    }

    private func call(
        _ method: String, _ target: String, _ body: String? = nil, as token: String
    ) async throws -> Reply {
        let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
        var headers: HTTPHeaders = ["Host": "api.example.com", "Authorization": "Bearer \(token)"]
        if body != nil { headers.set("Content-Type", "application/json") }
        let response = await api.answer(
            HTTPRequest(
                method: method, path: parts[0], query: parts.count > 1 ? parts[1] : nil,
                headers: headers, body: Array((body ?? "").utf8), peer: .other("192.0.2.7")))
        return Reply(status: response.status, body: response.body, headers: response.headers)
    }

    private struct Named: Decodable { var id: String }
    private struct Certificate: Decodable {
        var id: String
        var kind: String
        var state: String
        var csr: String?
    }

    @Test func `a merchant is registered, gets its domain and its certificate, and is seen`()
        async throws
    {
        let staff = try await token(.operator)
        let auditor = try await token(.auditor)
        let id = "merchant.com.example.second"
        let added = try await call(
            "POST", "/v1/merchants",
            #"{"id":"\#(id)","environments":["lab"],"displayName":"Second","owners":["a@example.com"]}"#,
            as: staff)
        #expect(added.status == 201)
        #expect(
            try await call("POST", "/v1/merchants", #"{"id":"\#(id)"}"#, as: staff).status == 409)
        for (status, domain) in [(201, "shop.example.com"), (200, "SHOP.example.com.")] {
            let put = try await call(
                "PUT", "/v1/merchants/\(id)/domains/\(domain)", as: staff)
            #expect(put.status == status)
        }
        let requested = try await call(
            "POST", "/v1/merchants/\(shop.merchant)/certificate-requests",
            #"{"kind":"payment-processing"}"#, as: staff)
        #expect(requested.status == 201)
        let request = try requested.read(Certificate.self)
        #expect(request.state == "requested" && request.csr?.hasPrefix("-----BEGIN CERT") == true)
        let credential = try #require(
            try await shop.credentials().first { $0.id.text == request.id })
        let certificate = try shop.pki.processing(
            merchant: shop.merchant.text, key: PublicKeyOf(credential).key, from: shop.clock.now,
            days: 760)
        let body = String(
            decoding: try JSONEncoder().encode(["certificate": certificate.pem]), as: UTF8.self)
        for status in [201, 200] {
            let imported = try await call(
                "POST", "/v1/merchants/\(shop.merchant)/certificates", body, as: staff)
            #expect(imported.status == status)
            #expect(try imported.read([Certificate].self).map(\.state) == ["issued"])
        }
        let activated = try await call(
            "POST", "/v1/certificates/\(request.id)/activated", as: staff)
        #expect(try activated.read(Certificate.self).state == "active")
        let refused = try await call("POST", "/v1/certificates/\(request.id)/retire", as: staff)
        #expect(try refused.status == 409 && refused.code() == "certificate.in-use")

        let list = try await call("GET", "/v1/merchants", as: auditor).read([Named].self)
        #expect(list.map(\.id) == [id, shop.merchant.text].sorted())
        struct Detail: Decodable { var domains: [String] }
        let detail = try await call("GET", "/v1/merchants/\(id)", as: auditor)
        #expect(try detail.read(Detail.self).domains == ["shop.example.com"])
        let one = try await call("GET", "/v1/certificates/\(request.id)", as: auditor)
        #expect(try one.read(Certificate.self).state == "active")
        let gone = try await call(
            "DELETE", "/v1/merchants/\(id)/domains/shop.example.com", as: staff)
        #expect(gone.status == 204 && gone.body.isEmpty)
        #expect(
            try await call("DELETE", "/v1/merchants/\(id)/domains/shop.example.com", as: staff)
                .status == 404)
        // Whose token it was stands in the ledger.
        struct Entry: Decodable {
            var actor: String
            var act: String
        }
        let acts = try await call("GET", "/v1/audit?act=merchant.added", as: auditor)
        let by = try acts.read([Entry].self).map(\.actor)
        #expect(by.count == 2 && by.contains { $0 == "token:\(staff.split(separator: "_")[1])" })
    }

    @Test func `a bound token sees and touches its own merchants alone`() async throws {
        _ = try await shop.home.addMerchant(
            MerchantIdentifier("merchant.com.example.other"),
            environments: [EnvironmentName("lab")], change: MerchantChange())
        let made = try await shop.request(.merchantIdentity)
        let other = try await token(
            .operator, .auditor, merchants: ["merchant.com.example.other"])
        let mine = "/v1/merchants/\(shop.merchant)"
        for (method, path, body) in [
            ("GET", mine, nil), ("GET", "\(mine)/certificates", nil),
            ("PUT", "\(mine)/domains/shop.example.com", nil),
            ("DELETE", "\(mine)/domains/shop.example.com", nil),
            ("POST", "\(mine)/certificate-requests", #"{"kind":"merchant-identity"}"#),
            ("POST", "\(mine)/certificates", #"{"certificate":"x"}"#),
            ("POST", "/v1/merchants", #"{"id":"merchant.com.example.third"}"#),
            ("GET", "/v1/audit?merchant=\(shop.merchant)", nil), ("GET", "/metrics", nil),
        ] {
            let reply = try await call(method, path, body, as: other)
            let expected =
                path == "/metrics" ? "access.all-merchants-needed" : "access.merchant-not-covered"
            #expect(try reply.status == 403 && reply.code() == expected, "\(method) \(path)")
        }
        // Nor does it get between another merchant and its domain.
        _ = try await shop.home.addDomain(DomainName("shop.example.com"), of: shop.merchant)
        let between = try await call(
            "PUT", "/v1/merchants/merchant.com.example.other/domains/Shop.example.com", as: other)
        #expect(try between.status == 403 && between.code() == "access.domain-not-covered")
        for (method, act) in [
            ("GET", ""), ("POST", "/rehearse"), ("POST", "/activate"), ("POST", "/activated"),
            ("POST", "/retire"),
        ] {
            let reply = try await call(
                method, "/v1/certificates/\(made.credential.id)\(act)", as: other)
            #expect(try reply.status == 404 && reply.code() == "certificate.unknown", "\(act)")
        }
        let seen = try await call("GET", "/v1/merchants", as: other).read([Named].self)
        #expect(seen.map(\.id) == ["merchant.com.example.other"])
        struct Entry: Decodable { var subject: String }
        let entries = try await call("GET", "/v1/audit", as: other).read([Entry].self)
        #expect(entries.map(\.subject) == ["merchant.com.example.other"])
    }

    @Test func `what a call does not take is refused by name and changes nothing`() async throws {
        let staff = try await token(.operator, .auditor)
        let mine = "/v1/merchants/\(shop.merchant)"
        let entries = try await shop.acts().count
        let key = try shop.pki.identityRoot.key.pkcs8PEM().withUnsafeBytes {
            String(decoding: $0, as: UTF8.self)
        }
        let withKey = String(
            decoding: try JSONEncoder().encode(["certificate": key]), as: UTF8.self)
        for (method, target, body, status, code) in [
            ("GET", "/v1/merchants?page=2", nil, 400, "request.unknown-parameter"),
            ("GET", "/v1/merchants?limit=0", nil, 400, "request.bad-parameter"),
            ("GET", "/v1/merchants?limit=+5", nil, 400, "request.bad-parameter"),
            ("GET", "/v1/merchants?limit=5&limit=6", nil, 400, "request.duplicate-parameter"),
            ("GET", "/v1/audit?since=yesterday", nil, 400, "request.bad-parameter"),
            ("GET", "/v1/audit?act=nothing", nil, 400, "request.bad-parameter"),
            ("GET", "/v1/audit?after=x", nil, 400, "request.bad-parameter"),
            ("GET", mine, "{}", 400, "request.body-not-taken"),
            ("GET", "/v1/merchants/shop", nil, 422, "merchant.bad-identifier"),
            ("GET", "/v1/merchants/merchant.com.example.none", nil, 404, "merchant.unknown"),
            ("GET", "/v1/certificates/xyz", nil, 422, "certificate.bad-id"),
            ("GET", "/v1/certificates/000000000000", nil, 404, "certificate.unknown"),
            ("PUT", "\(mine)/domains/https%3A%2F%2Fx.example", nil, 422, "domain.malformed"),
            ("POST", "/v1/merchants", "{}", 400, "request.missing-key"),
            ("POST", "/v1/merchants", #"{"id":5}"#, 400, "request.wrong-type"),
            (
                "POST", "/v1/merchants", #"{"id":"merchant.a","environments":[]}"#, 400,
                "request.bad-value"
            ),
            (
                "POST", "/v1/merchants", #"{"id":"merchant.a","owners":"x"}"#, 400,
                "request.wrong-type"
            ),
            (
                "POST", "/v1/merchants", #"{"id":"merchant.a","owners":[1]}"#, 400,
                "request.wrong-type"
            ),
            (
                "POST", "/v1/merchants", #"{"id":"merchant.a","owners":["xyz"]}"#, 422,
                "merchant.bad-owner"
            ),
            (
                "POST", "\(mine)/certificate-requests", #"{"kind":"identity"}"#, 400,
                "request.bad-value"
            ),
            (
                "POST", "\(mine)/certificate-requests", #"{"kind":"merchant-identity","csr":"x"}"#,
                400, "request.missing-key"
            ),
            ("POST", "\(mine)/certificates", withKey, 422, "import.key-without-certificate"),
            ("DELETE", mine, nil, 405, "request.method-not-allowed"),
            ("POST", "/v1/certificates/000000000000/revoke", nil, 404, "request.no-such-resource"),
        ] as [(String, String, String?, Int, String)] {
            let reply = try await call(method, target, body, as: staff)
            let found = try reply.code()
            #expect(reply.status == status && found == code, "\(method) \(target): \(found)")
        }
        #expect(try await shop.acts().count == entries)
    }

    @Test func `long lists come in pages that follow one another`() async throws {
        for number in 0..<7 {
            _ = try await shop.home.addMerchant(
                MerchantIdentifier("merchant.com.example.m\(number)"),
                environments: [EnvironmentName("lab")], change: MerchantChange())
        }
        let auditor = try await token(.auditor)
        for path in ["/v1/merchants", "/v1/audit"] {
            var next: String? = "\(path)?limit=3"
            var pages: [[[UInt8]]] = []
            while let target = next {
                let reply = try await call("GET", target, as: auditor)
                #expect(reply.status == 200)
                pages.append([reply.body])
                next = reply.headers["Link"].map { link in
                    #expect(link.hasSuffix(">; rel=\"next\""))
                    return String(link.dropFirst().prefix { $0 != ">" })
                }
            }
            let count = path == "/v1/merchants" ? 8 : try await shop.acts().count
            #expect(pages.count == (count + 2) / 3)
        }
    }
}

/// The public key of a credential that has a CSR and no certificate yet.
private struct PublicKeyOf {
    let key: PublicKey

    init(_ credential: Credential) throws {
        key = try CertificateSigningRequest(der: credential.csr ?? []).publicKey
    }
}
