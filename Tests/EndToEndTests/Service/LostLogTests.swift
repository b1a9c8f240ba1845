import Glibc
import TestSupport
import Testing

/// Somebody removes SQLite's log beside a running service, as old advice on the net says.
@Suite(.twoAtATime) struct LostLogTests {
    @Test(arguments: [["-wal", "-shm"], ["-wal"], ["-shm"]])
    func `the service says so, and what commands record meanwhile outlives it`(
        suffixes: [String]
    ) async throws {
        let home = try await TestHome()
        let shop = "merchant.com.example.shop"
        try await home.must(
            "merchant", "add", shop, "--environment", "production", "--display-name", "Shop")
        try await home.must("domain", "add", shop, "shop.example.com")
        let service = try await RunningService(home, onSocket: false)
        #expect(try await service.get("/readyz").status == 200)
        for suffix in suffixes { #expect(unlink("\(home.path)/purser.db\(suffix)") == 0) }

        // With one of the two gone SQLite may refuse a command; what succeeds must last.
        let removal = try await home.run("domain", "remove", shop, "shop.example.com")
        let retirement = try await home.run("merchant", "retire", shop)
        if suffixes.count == 2 { #expect(removal.status == 0 && retirement.status == 0) }
        var reply = try await service.get("/readyz")
        let deadline = ContinuousClock.now + .seconds(10)
        while reply.status == 200, ContinuousClock.now < deadline {
            reply = try await service.get("/readyz")
        }
        #expect(reply.status == 503)
        #expect(String(decoding: reply.body, as: UTF8.self).contains("session.home-replaced"))
        #expect(try await service.stop() == 0)

        try await home.must("audit", "verify")
        let acts = try JSON.lines(try await home.must("audit", "list", "--json"))
        let names = acts.compactMap { $0["act"].text }
        #expect(names.contains("domain.removed") == (removal.status == 0), "\(names)")
        #expect(names.contains("merchant.retired") == (retirement.status == 0), "\(names)")
    }
}
