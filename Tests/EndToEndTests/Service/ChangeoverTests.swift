import Merchants
import TestSupport
import Testing

/// Three services on one home, under load, while the identity in use changes.
@Suite(.twoAtATime) struct ChangeoverTests {
    /// How long a service may take for what is promised within a second.
    static let patience = Binaries.areSanitized ? 10.0 : 2.5

    /// Three services with a load on each.
    private struct Services {
        let all: [RunningService]
        private let loads: [Load]

        init(_ home: TestHome, _ order: String) async throws {
            var all: [RunningService] = []
            for number in 0..<3 {
                all.append(try await RunningService(home, name: "service-\(number)"))
            }
            self.all = all
            loads = all.map { Load($0, order) }
        }

        /// Ends the load; every answer must have been a session.
        func end() async throws {
            for (service, load) in zip(all, loads) {
                let statuses = try await load.end()
                #expect(statuses.count > 10)
                #expect(statuses.allSatisfy { $0 == 200 }, "\(statuses.filter { $0 != 200 })")
                #expect(
                    service.log.filter { $0["event"] == "error" }.isEmpty,
                    "\(service.process.errors)")
            }
        }

        func stop() async throws {
            for service in all { #expect(try await service.stop() == 0) }
        }

        /// The lines of all logs with this event.
        func lines(_ event: String) -> [JSON] {
            all.flatMap { $0.log.filter { $0["event"] == .string(event) } }
        }
    }

    @Test
    func `a new identity takes over in three services, within a second and without a failure`()
        async throws
    {
        let lab = try await Lab()
        let shop = Shop()
        try await lab.open(shop)
        let services = try await Services(lab.home, shop.order)
        for _ in 0..<2 {
            let next = try await lab.certify(shop)
            try await lab.home.must("certificate", "activate", next["id"].text ?? "")
            #expect(try await isSwitched(lab, to: next["serialNumber"].upper))
        }
        try await services.end()
        #expect(services.lines("rolled-back").isEmpty)
        try await services.stop()
        try await lab.home.must("audit", "verify")
    }

    @Test(arguments: [
        (#"{"alert":46}"#, "failed"), (#"{"alert":45}"#, "failed"), (#"{"status":401}"#, "failed"),
        (#"{"status":403}"#, "failed"), (#"{"status":417}"#, "incomplete"),
    ])
    func `an identity that Apple refuses is stopped, and forced past that it is rolled back once`(
        refusal: String, verdict: String
    ) async throws {
        let lab = try await Lab()
        let shop = Shop()
        try await lab.register(shop)
        let old = try await lab.certify(shop)
        let oldID = try #require(old["id"].text)
        try await lab.home.must("certificate", "activate", oldID)
        let new = try await lab.certify(shop)
        let newID = try #require(new["id"].text)
        try await refuse(lab, new, refusal)

        let services = try await Services(lab.home, shop.order)
        let stopped = try await lab.home.refusal("certificate", "activate", newID)
        #expect(stopped.status == 69 && stopped.code == "rehearsal.\(verdict)")
        #expect(try await states(lab, [oldID, newID]) == ["active", "issued"])

        // Everything that a service did before the person forced it is of no matter.
        let before = try await entries(lab).count
        try await lab.home.must("certificate", "activate", newID, "--without-rehearsal")
        let deadline = ContinuousClock.now + .seconds(4 * Self.patience)
        while try await states(lab, [oldID, newID]) != ["active", "issued"],
            ContinuousClock.now < deadline
        {}
        #expect(try await states(lab, [oldID, newID]) == ["active", "issued"])
        #expect(try await isSwitched(lab, to: old["serialNumber"].upper))
        // Long enough for whoever came second.
        try await Task.sleep(for: .seconds(1))
        try await services.end()

        let since = try await entries(lab).dropFirst(before)
        #expect(
            since.map { $0["act"] } == [
                "certificate.retiring", "certificate.activated", "certificate.rolled-back",
            ])
        let entry = since.last ?? .null
        #expect(entry["actor"].text?.hasPrefix("service:") == true)
        #expect(entry["detail"]["credential"] == .string(newID))
        #expect(entry["detail"]["successor"] == .string(oldID))
        #expect(entry["detail"]["failures"] == "10")
        #expect(entry["detail"]["reason"].text?.isEmpty == false)
        #expect(services.lines("rolled-back").count == 1)
        // What only the old identity got is told of in its line.
        let fallen = services.lines("request").filter { $0["refusal"] != .null }
        #expect(fallen.count >= 10 && fallen.allSatisfy { $0["status"] == 200 })
        try await services.stop()
        try await lab.home.must("audit", "verify")

        // A person may try it once more, when Apple has come round.
        try await lab.apple.must("PUT", "/refusals", body: Array("{}".utf8))
        try await lab.home.must("certificate", "activate", newID)
        #expect(try await states(lab, [oldID, newID]) == ["retiring", "active"])
    }

    @Test func `a service that cannot write the home goes on by the old identity, and reports`()
        async throws
    {
        let lab = try await Lab()
        let shop = Shop()
        try await lab.open(shop)
        let new = try await lab.certify(shop)
        let newID = try #require(new["id"].text)
        try await lab.home.must("certificate", "activate", newID)
        let service = try await RunningService(lab.home)
        let database = "\(lab.home.path)/purser.db"
        let version = try await tool("sqlite3", [database, "PRAGMA user_version"]).text
        // As a newer version would leave it: this one may not write there.
        try await tool("sqlite3", [database, "PRAGMA user_version = 99"])
        try await refuse(lab, new, #"{"status":403}"#)
        for _ in 0..<25 { #expect(try await service.session(shop.order).status == 200) }
        let told = { service.log.filter { $0["code"] == "serve.rollback-failed" } }
        #expect(try await BackgroundProcess.wait(seconds: 10) { !told().isEmpty })
        #expect(told().count == 1 && told().first?["remedy"].text?.contains("activate") == true)
        #expect(told().first?["message"].text?.contains("newer") == true)
        #expect(service.log.allSatisfy { $0["event"] != "rolled-back" })

        // A person who asks for a session gets one, and is told why by the old identity.
        try await tool("sqlite3", [database, "PRAGMA user_version = \(version)"])
        let asked = try await lab.home.run("session", shop.merchant, shop.domain)
        #expect(asked.status == 0 && asked.errorText.contains("the one before it did"))

        // Once it may write again it comes round to it.
        let isDone = { service.log.contains { $0["event"] == "rolled-back" } }
        let deadline = ContinuousClock.now + .seconds(60)
        while !isDone(), ContinuousClock.now < deadline {
            #expect(try await service.session(shop.order).status == 200)
        }
        #expect(isDone())
        #expect(try await states(lab, [newID]) == ["issued"])
        #expect(try await service.stop() == 0)
    }

    // MARK: - A first identity

    @Test func `a merchant without a processing certificate is explained, and may be activated`()
        async throws
    {
        let lab = try await Lab(["--require-active-processing"])
        let shop = Shop()
        try await lab.register(shop)
        try await beUnfinished(lab, shop, "session.merchant-incomplete", "processing certificate")
        try await lab.certify(shop, "payment-processing")
        try await lab.home.must("session", shop.merchant, shop.domain)
    }

    @Test func `a domain that is not verified is explained, and its merchant may be activated`()
        async throws
    {
        let lab = try await Lab()
        let shop = Shop()
        try await lab.register(shop)
        try await lab.apple.register(shop.merchant, domains: ["other.example.com"])
        try await beUnfinished(lab, shop, "session.domain-refused", "domain")
        try await lab.apple.register(shop.merchant, domains: [shop.domain])
        try await lab.home.must("session", shop.merchant, shop.domain)
    }

    /// Activates a first identity whose merchant is not finished at Apple.
    private func beUnfinished(
        _ lab: Lab, _ shop: Shop, _ code: String, _ word: String
    ) async throws {
        let id = try #require(try await lab.certify(shop)["id"].text)
        let rehearsed = try await lab.home.run("certificate", "rehearse", id, "--json")
        #expect(rehearsed.status == 0)
        #expect(try JSON(rehearsed.output)["outcome"] == "incomplete")
        let refused = try await lab.home.run("certificate", "activate", id)
        #expect(refused.status == 69 && refused.errorText.contains(word), "\(refused.errorText)")
        #expect(refused.errorText.contains("--accept-incomplete"), "\(refused.errorText)")
        #expect(try await states(lab, [id]) == ["issued"])
        let accepted = try await lab.home.run(
            "certificate", "activate", id, "--accept-incomplete")
        #expect(accepted.status == 0 && accepted.errorText.contains(word), "\(accepted.errorText)")
        #expect(try await states(lab, [id]) == ["active"])
        // Until it is finished the checkout is told why; there is no identity to go back to.
        let service = try await RunningService(lab.home)
        for _ in 0..<12 { #expect(try await service.session(shop.order).code == code) }
        #expect(try await states(lab, [id]) == ["active"])
        #expect(try await service.stop() == 0)
    }

    // MARK: - Looking

    private func refuse(_ lab: Lab, _ credential: JSON, _ refusal: String) async throws {
        let serial = try #require(credential["serialNumber"].upper.text)
        try await lab.apple.must(
            "PUT", "/refusals", body: Array("{\"\(serial)\":\(refusal)}".utf8))
    }

    private func states(_ lab: Lab, _ ids: [String]) async throws -> [JSON] {
        var states: [JSON] = []
        for id in ids { states.append(try await lab.home.json("certificate", "show", id)["state"]) }
        return states
    }

    private func entries(_ lab: Lab) async throws -> [JSON] {
        try JSON.lines(try await lab.home.must("audit", "list", "--json"))
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
}
