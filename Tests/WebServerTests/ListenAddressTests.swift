import Testing
import WebServer

@Suite struct ListenAddressTests {
    @Test(arguments: [
        ("127.0.0.1:8765", ListenAddress.ipv4("127.0.0.1", port: 8765), true),
        ("127.9.9.9:0", .ipv4("127.9.9.9", port: 0), true),
        ("0.0.0.0:80", .ipv4("0.0.0.0", port: 80), false),
        ("192.0.2.1:65535", .ipv4("192.0.2.1", port: 65535), false),
        ("[::1]:8765", .ipv6("::1", port: 8765), true),
        ("[0:0::1]:8765", .ipv6("::1", port: 8765), true),
        ("[::]:8765", .ipv6("::", port: 8765), false),
        ("[::ffff:127.0.0.1]:1", .ipv6("::ffff:127.0.0.1", port: 1), false),
        ("localhost:8765", .ipv4("127.0.0.1", port: 8765), true),
        ("unix:/run/purser.sock", .unix(path: "/run/purser.sock"), true),
    ])
    func `addresses are read`(_ text: String, _ address: ListenAddress, _ loopback: Bool) throws {
        let read = try ListenAddress(text)
        #expect(read == address)
        #expect(read.isLoopback == loopback)
        #expect(try ListenAddress("\(read)") == address)
    }

    @Test(arguments: [
        "", "8765", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:+1", "127.0.0.1:-1",
        "127.1:80", ":80", "*:80", "example.com:80", "::1:80", "[::1]", "[::1", "[fe80::1%lo]:1",
        "[127.0.0.1]:80", "unix:", "unix:relative", "unix:/folder/", "127.0.0.1:80 ",
        "unix:/\(String(repeating: "a", count: 107))",
    ])
    func `anything else is refused`(_ text: String) {
        #expect(throws: WebServerError.self) { try ListenAddress(text) }
    }
}
