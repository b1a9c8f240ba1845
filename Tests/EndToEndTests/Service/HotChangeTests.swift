import Glibc
import TestSupport
import Testing

/// What the command line changes while a service runs: in force within a second, no request lost.
@Suite(.twoAtATime) struct HotChangeTests {
    /// A second is promised; the rest is for a machine that is busy with other tests.
    private static let patience = getenv("PURSER_SANITIZED") == nil ? 2.5 : 10

    /// Waits until the service answers `body` with `status`, at most for the patience.
    private func isSoon(
        _ status: Int, _ service: RunningService, _ body: String,
        _ condition: (HTTPReply) -> Bool = { _ in true }
    ) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(Self.patience)
        repeat {
            let reply = try await service.session(body)
            if reply.status == status && condition(reply) { return true }
        } while ContinuousClock.now < deadline
        return false
    }

    @Test func `a service follows the command line and fails no request meanwhile`() async throws {
        let lab = try await Lab()
        let shop = Shop()
        try await lab.open(shop)
        let service = try await RunningService(lab.home)
        let load = Load(service, shop.order)
        try await lab.apple.register(shop.merchant, domains: [shop.domain, "new.example.com"])

        let other = #"{"domain":"new.example.com"}"#
        #expect(try await service.session(other).code == "session.domain-not-registered")
        try await lab.home.must("domain", "add", shop.merchant, "new.example.com")
        #expect(try await isSoon(200, service, other))
        try await lab.home.must("domain", "remove", shop.merchant, "new.example.com")
        #expect(try await isSoon(422, service, other))

        try await lab.home.must("merchant", "set", shop.merchant, "--display-name", "New Name")
        #expect(
            try await isSoon(200, service, shop.order) { $0.json["displayName"] == "New Name" })

        let second = Shop("second")
        try await lab.open(second)
        #expect(try await isSoon(200, service, second.order))

        let next = try await lab.certify(shop)
        try await lab.home.must("certificate", "activate", next["id"].text ?? "")
        #expect(try await isSwitched(lab, to: next["serialNumber"].upper))

        try await lab.home.must("merchant", "retire", second.merchant)
        #expect(
            try await isSoon(409, service, second.order) { $0.code == "session.merchant-retired" })

        let statuses = try await load.end()
        #expect(statuses.count > 20)
        #expect(statuses.allSatisfy { $0 == 200 }, "\(statuses.filter { $0 != 200 })")
        // Nobody was served by the other merchant, or by an identity that it never had.
        let wrong = try await lab.apple.requests().filter {
            $0["clientUID"] != $0["merchantIdentifier"] || $0["sessionOwnerUID"] != $0["clientUID"]
        }
        #expect(wrong.isEmpty, "\(wrong)")
        #expect(try await service.stop() == 0)
    }

    @Test func `a revoked identity gives way to the one before it, and no request fails`()
        async throws
    {
        let lab = try await Lab()
        let shop = Shop()
        try await lab.register(shop)
        let first = try await lab.certify(shop)
        let second = try await lab.certify(shop)
        for one in [first, second] {
            try await lab.home.must("certificate", "activate", one["id"].text ?? "")
        }
        let service = try await RunningService(lab.home)
        let load = Load(service, shop.order)
        #expect(try await isSwitched(lab, to: second["serialNumber"].upper))
        let revoked = try await lab.home.json(
            "certificate", "revoke", second["id"].text ?? "", "--reason", "key-compromise")
        #expect(revoked["state"] == "revoked" && revoked["successor"] == first["id"])
        #expect(try await isSwitched(lab, to: first["serialNumber"].upper))
        let statuses = try await load.end()
        #expect(statuses.allSatisfy { $0 == 200 }, "\(statuses.filter { $0 != 200 })")

        // Without one to take over the shop has none, and is told so.
        try await lab.home.must(
            "certificate", "revoke", first["id"].text ?? "", "--reason", "superseded")
        #expect(
            try await isSoon(409, service, shop.order) { $0.code == "session.no-active-identity" })
        #expect(try await service.stop() == 0)
    }

    /// Whether, from a moment within the patience on, all requests come with the serial number.
    private func isSwitched(_ lab: Lab, to serialNumber: JSON) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(Self.patience)
        repeat {
            try await lab.apple.clearLog()
            try await Task.sleep(for: .milliseconds(200))
            let requests = try await lab.apple.requests()
            if requests.count > 1,
                requests.allSatisfy({ $0["clientSerialNumber"] == serialNumber })
            {
                return true
            }
        } while ContinuousClock.now < deadline
        return false
    }

    @Test func `connections of a superseded identity are closed`() async throws {
        let lab = try await Lab()
        let shop = Shop()
        try await lab.open(shop)
        let service = try await RunningService(lab.home)
        #expect(try await service.session(shop.order).status == 200)
        try #require(try await connections(lab) == 1)
        // A request that is in flight finishes with what it began with.
        try await lab.apple.behave(#"{"latencyMilliseconds":3000}"#)
        async let inFlight = service.session(shop.order)
        try await Task.sleep(for: .milliseconds(500))
        try await lab.apple.behave()
        let next = try await lab.certify(shop)
        let id = try #require(next["id"].text)
        try await lab.home.must("certificate", "activate", id, "--without-rehearsal")
        #expect(try await inFlight.status == 200)
        let requests = try await lab.apple.requests()
        #expect(requests.last?["clientSerialNumber"] != next["serialNumber"].upper)
        var open = 1
        let deadline = ContinuousClock.now + .seconds(Self.patience)
        while open > 0 && ContinuousClock.now < deadline { open = try await connections(lab) }
        #expect(open == 0)
        #expect(try await service.session(shop.order).status == 200)
        let last = try await lab.apple.requests().last
        #expect(last?["clientSerialNumber"] == next["serialNumber"].upper)
        #expect(last?["isResumed"].bool == false)
    }

    /// Clients' ends of established connections to the gateway.
    private func connections(_ lab: Lab) async throws -> Int {
        let port = lab.apple.gateway.split(separator: ":").last ?? ""
        let listed = try await tool(
            "ss", ["-Htn", "state", "established", "dport", "=", ":\(port)"])
        return listed.text.split(separator: "\n").count
    }

    @Test func `a home that cannot be read again is served as it was, and readyz says so`()
        async throws
    {
        let lab = try await Lab()
        let shop = Shop()
        try await lab.open(shop)
        let service = try await RunningService(lab.home)
        #expect(try await service.get("/readyz").status == 200)
        // As a newer version would leave it.
        let database = "\(lab.home.path)/purser.db"
        let version = try await tool("sqlite3", [database, "pragma user_version"]).text
        try await tool("sqlite3", [database, "pragma user_version=9999"])
        #expect(
            try await BackgroundProcess.wait(seconds: 10) {
                service.log.contains { $0["event"] == "error" }
            })
        let unready = try await service.get("/readyz")
        #expect(unready.status == 503 && !unready.json["reasons"].elements.isEmpty)
        #expect(try await service.get("/healthz").status == 200)
        #expect(try await service.session(shop.order).status == 200)
        try await tool("sqlite3", [database, "pragma user_version=\(version)"])
        var isReady = false
        for _ in 0..<100 where !isReady {
            isReady = try await service.get("/readyz").status == 200
            if !isReady { try await Task.sleep(for: .milliseconds(50)) }
        }
        #expect(isReady)
    }

    @Test func `a service whose database was replaced goes on, and readyz says so`() async throws {
        let lab = try await Lab()
        let shop = Shop()
        try await lab.open(shop)
        let service = try await RunningService(lab.home)
        #expect(try await service.get("/readyz").status == 200)
        // As somebody would who puts a backup back under a running service.
        let database = "\(lab.home.path)/purser.db"
        let backup = lab.home.folder.file("backup.db")
        try await tool("sqlite3", [database, "VACUUM INTO '\(backup)'"])
        try await tool("chmod", ["600", backup])
        try await tool("mv", [backup, database])
        var unready = try await service.get("/readyz")
        for _ in 0..<200 where unready.status == 200 {
            try await Task.sleep(for: .milliseconds(50))
            unready = try await service.get("/readyz")
        }
        #expect(unready.status == 503)
        let reasons = unready.json["reasons"].elements.compactMap(\.text)
        #expect(reasons.contains { $0.contains("session.home-replaced") }, "\(reasons)")
        #expect(
            service.log.contains { $0["event"] == "error" && "\($0)".contains("home-replaced") })
        #expect(try await service.get("/healthz").status == 200)
        #expect(try await service.session(shop.order).status == 200)
        #expect(try await service.stop() == 0)
        // After a restart the new file is read.
        let again = try await RunningService(lab.home)
        #expect(try await again.get("/readyz").status == 200)
        #expect(try await again.session(shop.order).status == 200)
        #expect(try await again.stop() == 0)
    }
}
