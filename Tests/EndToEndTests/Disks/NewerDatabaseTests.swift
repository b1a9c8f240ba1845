import TestSupport
import Testing

/// A database that a newer `purser` has migrated.
struct NewerDatabaseTests {
    private func setVersion(_ version: Int, of home: TestHome) async throws {
        try await tool("sqlite3", ["\(home.path)/purser.db", "PRAGMA user_version = \(version)"])
    }

    @Test func `commands refuse it and touch nothing`() async throws {
        let stage = try await Stage()
        let database = "\(stage.home.path)/purser.db"
        let version = try await tool("sqlite3", [database, "PRAGMA user_version"]).text
        try await setVersion(99, of: stage.home)
        let before = try await Tree.state(of: stage.home.path)
        for command in [
            ["certificate", "list"], ["audit", "verify"], ["merchant", "list"],
            ["certificate", "request", Stage.merchant, "payment-processing"],
            ["merchant", "add", "merchant.com.example.more"], ["serve"], ["init"],
            ["session", Stage.merchant, "shop.example.com"],
        ] {
            let refused = try await stage.home.run(command + ["--json"])
            #expect(refused.status == 78 && refused.code == "database.newer-version", "\(command)")
        }
        let check = try await stage.home.run("check", "--json")
        #expect(check.status == 3 && check.code == "database.newer-version")
        #expect(try await Tree.state(of: stage.home.path) == before)

        try await setVersion(Int(version.dropLast()) ?? 0, of: stage.home)
        try await stage.home.must("certificate", "list")
    }

    @Test func `a running service goes on serving and says that it is not ready`() async throws {
        let lab = try await Lab()
        try await lab.open()
        let service = try await RunningService(lab.home)
        #expect(try await service.get("/readyz").status == 200)
        let version = try await tool(
            "sqlite3", ["\(lab.home.path)/purser.db", "PRAGMA user_version"]
        ).text

        try await setVersion(99, of: lab.home)
        let isUnready = try await waiting(service) { $0.status == 503 }
        #expect(isUnready?.json["reasons"][0].text?.contains("version 99") == true)
        let session = try await service.session(Shop().order)
        #expect(session.status == 200 && session.json["domainName"] == "shop.example.com")
        let errors = service.log.filter { $0["code"] == "database.newer-version" }
        #expect(errors.count == 1, "it is logged once, not at every look")

        try await setVersion(Int(version.dropLast()) ?? 0, of: lab.home)
        #expect(try await waiting(service) { $0.status == 200 } != nil)
        #expect(try await service.stop() == 0)
    }

    /// The first answer of /readyz that is so; nil where none comes in time.
    private func waiting(
        _ service: RunningService, for isSo: (HTTPReply) -> Bool
    ) async throws -> HTTPReply? {
        let deadline = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < deadline {
            let reply = try await service.get("/readyz")
            if isSo(reply) { return reply }
            try await Task.sleep(for: .milliseconds(50))
        }
        return nil
    }
}
