import TestSupport
import Testing

/// The whole way through the built programs.
@Suite struct MainJobTests {
    @Test func `curl gets the session`() async throws {
        let lab = try await Lab()
        try await lab.open()
        let service = try await RunningService(lab.home)
        let reply = try await service.session(Shop().order)
        #expect(reply.status == 200)
        #expect(reply.json["domainName"] == "shop.example.com")
        #expect(try await service.stop() == 0)
    }
}
