import Clocks
import FoundationEssentials
import HomeSupport
import Locks
import Merchants
import SessionSupport
import Sessions
import TestSupport
import Testing
import Transfers
import WebServer

@testable import API

@Suite struct AssociationFileCallTests {
    private static let path = "/.well-known/apple-developer-merchantid-domain-association"
    private let bytes = Array("MIIQvQ\r\nYJKo\n".utf8)

    private func roster() throws -> Roster {
        Roster(
            [], known: [],
            associationFiles: [
                try DomainName("shop.example.com"): bytes,
                try DomainName("xn--bcher-kva.example"): [0x4D],
            ])
    }

    private func ask(
        _ host: String?, _ method: String = "GET", path: String = path, tag: String? = nil
    ) throws -> HTTPResponse? {
        var headers = HTTPHeaders()
        if let host { headers.set("Host", host) }
        if let tag { headers.set("If-None-Match", tag) }
        return AssociationFileCall.answer(
            HTTPRequest(method: method, path: path, headers: headers), try roster())
    }

    @Test(arguments: [
        "shop.example.com", "SHOP.example.COM", "shop.example.com.", "shop.example.com:443",
        "Shop.Example.com.:8080", "shop.example.com:",
    ])
    func `the file is served byte for byte, however its host is written`(host: String) throws {
        for (suffix, type) in [("", "application/octet-stream"), (".txt", "text/plain")] {
            for method in ["GET", "HEAD"] {
                let answer = try #require(try ask(host, method, path: Self.path + suffix))
                #expect(answer.status == 200 && answer.body == bytes)
                #expect(answer.headers["Content-Type"] == type)
                #expect(answer.headers["Location"] == nil)
            }
        }
    }

    @Test(arguments: [
        nil, "", "example.com", "www.shop.example.com", "shop.example.com.evil.test", "127.0.0.1",
        "localhost:8765", "[::1]:8765", "shop.example.com:80x", "shop.example.com:1:2",
        "user@shop.example.com", "shop.example.com/", "https://shop.example.com", "bücher.example",
        "shop.example.com..", " shop.example.com", "shop.example.com\u{0}", "*.example.com",
        String(repeating: "a.", count: 5_000),
    ])
    func `any other host has none`(host: String?) throws {
        #expect(try ask(host) == nil)
    }

    @Test func `a client that has the bytes is told so`() throws {
        let tag = try #require(try ask("shop.example.com")?.headers["ETag"])
        for known in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
            let answer = try #require(try ask("shop.example.com", tag: known))
            #expect(answer.status == 304 && answer.body.isEmpty)
            #expect(answer.headers["ETag"] == tag)
        }
        for other in ["\"x\"", tag.filter { $0 != "\"" }, ""] {
            #expect(try ask("shop.example.com", tag: other)?.status == 200)
        }
        #expect(try ask("xn--bcher-kva.example")?.headers["ETag"] != tag)
    }

    @Test func `whoever asks gets it, and of no other host is anything told`() async throws {
        let desk = SessionDesk(roster: try roster(), loop: try TransferLoop())
        let api = ServiceAPI(
            desk: desk, home: try await Shop().desk(desk), doorkeeper: Doorkeeper(),
            version: "1", readiness: { Readiness(merchants: 0, unreadable: 0, reasons: []) },
            log: AccessLog(clock: SystemClock(), write: { _ in }),
            counters: RequestCounters(loops: 1), report: { _, _ in })
        let far = Peer.other("203.0.113.9")
        func answer(_ host: String, _ method: String = "GET", http10: Bool = false) async
            -> HTTPResponse
        {
            await api.answer(
                HTTPRequest(
                    method: method, path: Self.path,
                    headers: ["Host": host, "X-Forwarded-For": "17.32.139.130"], peer: far,
                    isVersion10: http10))
        }
        #expect(await answer("shop.example.com").body == bytes)
        #expect(await answer("shop.example.com", http10: true).body == bytes)
        #expect(await answer("shop.example.com", "HEAD").status == 200)
        let post = await answer("shop.example.com", "POST")
        #expect(post.status == 405 && post.headers["Allow"] == "GET, HEAD")
        let unknown = await answer("registered-without-file.example.com")
        #expect(unknown.status == 404)
        #expect(unknown.headers["Content-Type"] == "application/problem+json")
        #expect(!String(decoding: unknown.body, as: UTF8.self).contains("example.com"))
    }
}
