import Testing
import WebServer

@testable import API

@Suite struct LocalCallerTests {
    private func isLocal(_ headers: HTTPHeaders, peer: Peer = .loopback) -> Bool {
        LocalCaller.objection(
            to: HTTPRequest(path: "/", headers: headers, peer: peer), socketUsers: [0],
            isHarmless: true) == nil
    }

    @Test(arguments: [
        "127.0.0.1", "127.0.0.1:8765", "127.1.2.3", "localhost", "LocalHost:1", "[::1]",
        "[::1]:8765",
    ])
    func `this machine by its own names is local`(host: String) {
        #expect(isLocal(["Host": host]))
        #expect(isLocal(["Host": host], peer: .unixSocket(uid: 0)))
    }

    @Test(arguments: [
        "attacker.example", "attacker.example:8765", "localhost.attacker.example", "xlocalhost",
        "127.0.0.1.attacker.example", "127.0.0.1.", "127.0.0.256", "127.0.0.", "127..0.1",
        ".127.0.0.1", "127.0.0.+1", "127.0.0.1.1",
        "127.0.0.99999999999999999999", "127.0.0", "127.1", "128.0.0.1",
        "2130706433", "0.0.0.0", "[::1].attacker.example", "[::2]", "[::ffff:127.0.0.1]", "::1", "",
        "localhost.", "l\u{F6}calhost",
    ])
    func `a browser led here under another name is not`(host: String) {
        #expect(!isLocal(["Host": host]))
        #expect(!isLocal(["Host": host], peer: .unixSocket(uid: nil)))
    }

    @Test(arguments: [
        "Forwarded", "X-Forwarded-For", "x-forwarded-proto", "X-FORWARDED-HOST", "X-Real-IP", "Via",
    ])
    func `what a proxy passed on is not`(name: String) {
        #expect(!isLocal(["Host": "localhost", name: "anything"]))
    }

    @Test(arguments: ["X-Forward", "Viaduct", "X-Request-Id", "Forwarded-By"])
    func `a header that no proxy writes means nothing`(name: String) {
        #expect(isLocal(["Host": "localhost", name: "anything"]))
    }

    @Test func `another machine is not, whatever it says`() {
        #expect(!isLocal(["Host": "localhost"], peer: .other("192.0.2.7")))
        #expect(!isLocal([:], peer: .other("127.0.0.1")))
    }

    @Test func `without a Host only the peer counts`() {
        #expect(isLocal([:]))
    }
}
