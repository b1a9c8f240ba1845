import TestSupport
import Testing

/// A service of many merchants, with the records of one damaged.
@Suite(.twoAtATime) struct DamagedMerchantTests {
    @Test func `the others are served, and the damage is told`() async throws {
        let lab = try await Lab()
        let (shop, damaged) = (Shop(), Shop("damaged"))
        for merchant in [shop, damaged] { try await lab.open(merchant) }
        try await tool(
            "sqlite3",
            [
                "\(lab.home.path)/purser.db",
                """
                PRAGMA ignore_check_constraints = 1;
                UPDATE merchants SET created_at = 999999999999 WHERE id = '\(damaged.merchant)'
                """,
            ])
        let service = try await RunningService(lab.home)
        #expect(try await service.session(shop.order).status == 200)
        let refusal = try await service.session(damaged.order)
        #expect(refusal.code == "session.merchant-damaged")
        let ready = try await service.get("/readyz")
        #expect(ready.json["merchants"] == 2 && ready.json["unreadable"] == 1)
        #expect(service.process.errors.contains("session.merchant-damaged"))
        #expect(try await service.stop() == 0)
    }
}
