import Glibc
import TestSupport
import Testing

/// Many merchants, and tokens that end, while the service is asked on.
@Suite(.twoAtATime) struct CrowdTests {
    private static let peers = "\(Binaries.root)/Tests/EndToEndTests/Hostile/Peers"

    @Test func `merchants in a crowd keep their connections apart while identities are rotated`()
        async throws
    {
        let lab = try await Lab(["--seed", "7"])
        let dice = Chance()
        let tokens = """
            {"operator":"\(try await lab.home.token("operator"))",\
            "auditor":"\(try await lab.home.token("auditor"))","loops":2}
            """
        let service = try await RunningService(
            lab.home, environment: ["PURSER_SERVE_WORKERS": "2"])
        try await lab.apple.behave(
            """
            {"acts":{"close-announced":"probability=0.05"},
            "latencyJitterMilliseconds":2}
            """)
        let isLong = Binaries.soak > 1
        let merchants = isLong ? 50 : Binaries.areSanitized ? 4 : 8
        let told = try await ForeignProcess.runBeside(
            "python3",
            [
                "\(Self.peers)/many.py", service.url, lab.apple.portal, lab.apple.gatewayCA,
                "\(merchants)", isLong ? "\(10 * Binaries.soak)" : "1", "\(dice.seed)",
            ], input: Array(tokens.utf8))
        print(told.text)
        #expect(told.status == 0, "\(dice.comment) \(told.text)\(told.errorText)")
        #expect(service.log.filter { $0["event"] == "error" }.isEmpty)
        #expect(try await service.stop() == 0)
        try await lab.home.must("audit", "verify")
    }

    @Test func `a token that is revoked or expires ends within a second in every service`()
        async throws
    {
        let home = try await TestHome()
        let made = try await home.json("api-token", "create", "--role", "auditor")
        let id = try #require(made["id"].text)
        let soon = Int(time(nil)) + 6
        let short = try await home.json(
            "api-token", "create", "--role", "auditor", "--expires", try await Self.moment(soon))
        let one = try await RunningService(home, name: "one")
        let two = try await RunningService(home, name: "two")
        let command = [Binaries.purser] + home.flags + ["api-token", "revoke", id]
        // Others come and go meanwhile: the records are written to all the time.
        async let others: Void = withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<2 {
                        let other = try await home.json(
                            "api-token", "create", "--role", "checkout")
                        try await home.must("api-token", "revoke", other["id"].text ?? "")
                    }
                }
            }
            try await group.waitForAll()
        }
        let revoked = try await ask([one, two], made, command)
        let expired = try await ask([one, two], short, ["--until", "\(soon)"])
        try await others
        for told in [revoked, expired] {
            #expect(!told.text.contains("FAULT"), "\(told.text)\(told.errorText)")
            let seconds = told.text.split(separator: "\n").last.flatMap { Double($0) }
            // A sanitizer's service looks at the home as often, and takes longer over it.
            #expect(try #require(seconds) < (Binaries.areSanitized ? 5 : 1), "\(told.text)")
        }
        #expect(try await one.stop() == 0)
        #expect(try await two.stop() == 0)
        // What a service knows of last uses it writes down at its end at the latest.
        let list = try await home.json("api-token", "list")
        let used = list.elements.filter { $0["lastUsedAt"] != .null }
        #expect(Set(used.compactMap { $0["id"].text }) == [id, short["id"].text ?? ""])
        #expect(used.allSatisfy { $0["lastUsedFrom"] == "127.0.0.1" })
        #expect(list.elements.count == 10)
        try await home.must("audit", "verify")
    }

    private func ask(
        _ services: [RunningService], _ token: JSON, _ command: [String]
    ) async throws -> ForeignProcess.Result {
        try await ForeignProcess.runBeside(
            "python3", ["\(Self.peers)/revoked.py"] + services.map(\.url) + ["--"] + command,
            input: Array("\(token["token"].text ?? "")\n".utf8))
    }

    private static func moment(_ seconds: Int) async throws -> String {
        try await tool("date", ["-u", "-d", "@\(seconds)", "+%Y-%m-%dT%H:%M:%SZ"]).text
            .split(separator: "\n").first.map(String.init) ?? ""
    }
}
