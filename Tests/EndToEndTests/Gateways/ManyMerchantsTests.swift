import Glibc
import TestSupport
import Testing

/// Many merchants over one service: none rides on another's connection or TLS session.
@Suite(.twoAtATime) struct ManyMerchantsTests {
    private static let shops = (0..<10).map { Shop("shop\($0)") }
    private static let clients = 4

    // In TLS 1.2 sessions are resumed by id, in TLS 1.3 by ticket.
    @Test(arguments: [("TLSv1.2", 40), ("TLSv1.3", 200)])
    func `ten merchants alternate while the gateway closes connections at random`(
        version: String, rounds: Int
    ) async throws {
        let lab = try await Lab(["--newest-tls", version, "--seed", "7"])
        for shop in Self.shops { try await lab.open(shop) }
        let service = try await RunningService(lab.home)
        try await lab.apple.clearLog()
        // What the sanitizers look for shows in a few hundred requests.
        let rounds = Binaries.areSanitized ? rounds * 2 / 5 : rounds * Binaries.soak
        try await lab.apple.behave(
            """
            {"acts":{"close-announced":"probability=0.1","close-unannounced":"probability=0.15"},
            "idleCloseMilliseconds":15,"latencyJitterMilliseconds":3}
            """)
        let before = service.openFiles
        try await alternate(service, lab.home.folder, rounds: rounds)
        let after = service.openFiles

        let requests = try await lab.apple.requests()
        #expect(requests.count >= rounds * Self.shops.count)
        let wrong = requests.filter { request in
            let merchant = request["merchantIdentifier"]
            return request["clientUID"] != merchant || request["sessionOwnerUID"] != merchant
        }
        #expect(wrong.isEmpty, "\(wrong.count) of \(requests.count), such as \(wrong[0])")
        // The trap was there: connections ended all the time, and TLS sessions were resumed.
        #expect(Set(requests.compactMap { $0["connection"].number }).count > rounds)
        #expect(requests.contains { $0["isResumed"].bool == true })
        if let before, let after {
            // Of the hundreds of connections that there were, at most one for each client and shop and
            // as many that took the place of one that had failed; and for each shop and worker the
            // pair of sockets that libcurl wakes itself with.
            let workers = min(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1), 8)
            let most = before + Self.shops.count * (2 * Self.clients + 2 * workers)
            #expect(after <= most, "\(before) descriptors before, \(after) after")
        }
        #expect(try await service.stop() == 0)
    }

    /// The clients ask for each shop in turn, each beginning with another one.
    private func alternate(
        _ service: RunningService, _ folder: TemporaryFolder, rounds: Int
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 0..<Self.clients {
                let shops = (0..<Self.shops.count).map { Self.shops[($0 + 3 * client) % 10] }
                let share = rounds / Self.clients
                let orders = (0..<share).flatMap { _ in shops }
                group.addTask {
                    try await Self.ask(service, orders, folder, "client\(client)")
                }
            }
            try await group.waitForAll()
        }
    }

    private static func ask(
        _ service: RunningService, _ shops: [Shop], _ folder: TemporaryFolder, _ name: String
    ) async throws {
        let config = shops.map { shop in
            """
            url = "\(service.url)/v1/merchant-sessions"
            header = "Content-Type: application/json"
            data = "\(shop.order.replacing("\"", with: "\\\""))"
            write-out = "\\n%{http_code}\\n"
            """
        }.joined(separator: "\nnext\n")
        folder.write(name, Array(config.utf8))
        let told = try await tool(
            "curl", ["-sS", "--noproxy", "*", "-m", "60", "--config", folder.file(name)])
        let lines = told.text.split(separator: "\n")
        #expect(lines.count == 2 * shops.count)
        for (index, shop) in shops.enumerated() where lines.count == 2 * shops.count {
            let body = try JSON(Array(lines[2 * index].utf8))
            guard lines[2 * index + 1] == "200", body["domainName"] == .string(shop.domain) else {
                Issue.record("\(shop.domain): \(lines[2 * index + 1]) \(body)")
                return
            }
        }
    }
}
