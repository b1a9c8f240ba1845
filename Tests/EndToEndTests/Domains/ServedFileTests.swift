import Clocks
import PKI
import TestSupport
import Testing

/// The association file as a running service serves it.
@Suite(.twoAtATime) struct ServedFileTests {
    private static let path = "/.well-known/apple-developer-merchantid-domain-association"

    @Test
    func `the file is served to whoever asks under its domain, and a new one within a second`()
        async throws
    {
        let pki = try TestPKI(now: SystemClock().now)
        let home = try await TestHome()
        let merchant = "merchant.com.example.shop"
        try await home.must("merchant", "add", merchant)
        func add(_ file: [UInt8]) async throws {
            try await home.must(
                "domain", "add", merchant, "shop.example.com", "--association-file",
                home.folder.write("association", file))
        }
        let first = try pki.portalFile(for: "shop.example.com", lineEnd: "\r\n")
        try await add(first)
        let service = try await RunningService(home)
        func ask(_ words: String..., host: String = "Shop.Example.com:443") async throws
            -> HTTPReply
        {
            try await HTTPReply.asking(
                ["-H", "Host: \(host)", "-H", "X-Forwarded-For: 17.32.139.130"] + words
                    + [service.url + Self.path + ".txt"])
        }
        for words in [[], ["--http1.0"]] {
            let reply = try await HTTPReply.asking(
                words + ["-H", "Host: shop.example.com", service.url + Self.path])
            #expect(reply.status == 200 && reply.body == first, "\(words)")
        }
        #expect(try await ask().body == first)
        let head = try await ForeignProcess.runBeside(
            "curl", ["-sSI", "-H", "Host: shop.example.com", service.url + Self.path])
        #expect(head.text.contains("Content-Length: \(first.count)"), "\(head.text)")
        #expect(try await ask(host: "www.example.com").status == 404)

        let second = try pki.platformFile()
        try await add(second)
        try await settle { try await ask().body == second }
        try await home.must("domain", "remove", merchant, "shop.example.com")
        try await settle { try await ask().status == 404 }
        #expect(try await service.stop() == 0)
    }

    /// Waits until something is so; a second is what is promised, and this machine may be busy.
    private func settle(_ isSettled: () async throws -> Bool) async throws {
        for _ in 0..<250 {
            if try await isSettled() { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("not within five seconds")
    }
}
