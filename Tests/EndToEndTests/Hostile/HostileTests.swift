import TestSupport
import Testing

/// Everything that may be done to an HTTP server, done to this one while a sound client asks on.
@Suite(.twoAtATime) struct HostileTests {
    private static let peers = "\(Binaries.root)/Tests/EndToEndTests/Hostile/Peers"

    // Slow and broken requests, one thing wrong in every field, thousands of connections (15,000 in the
    // long runs): see the peer.
    @Test func `hostile clients are refused, cost little, and harm no other and no log`()
        async throws
    {
        let lab = try await Lab()
        let shop = Shop()
        try await lab.register(shop)
        let credential = try await lab.activate(shop)
        var tokens = ["credential": credential]
        for role in ["operator", "auditor", "checkout"] {
            tokens[role] = try await lab.home.token(role)
        }
        let service = try await RunningService(lab.home)
        let connections = Binaries.areSanitized ? 1_000 : Binaries.soak > 1 ? 15_000 : 4_000
        let members = tokens.map { "\"\($0.key)\":\"\($0.value)\"" }.joined(separator: ",")
        let told = try await ForeignProcess.runBeside(
            "python3",
            [
                "\(Self.peers)/hostile.py",
                service.url.split(separator: ":").last.map(String.init) ?? "",
                "\(service.process.pid)", "\(connections)",
            ], input: Array("{\(members)}".utf8))
        print(told.text)
        #expect(told.status == 0, "\(told.text)\(told.errorText)")
        #expect(try await service.session(shop.order).status == 200)
        #expect(try await service.stop() == 0)
        // Each line is one object of ours, and nobody has written one of their own.
        for line in service.process.errors.split(separator: "\n") {
            guard case .object = try JSON(Array(line.utf8)) else {
                Issue.record("no JSON object in the log: \(line)")
                continue
            }
        }
        let events = Set(service.log.compactMap { $0["event"].text })
        #expect(events == ["ready", "request", "unread-request", "draining", "stopped"])
        for token in tokens.values where token != credential {
            #expect(!service.process.errors.contains(token))
        }
        try await lab.home.must("audit", "verify")
    }

    // No address, name or URL of a caller's makes a connection: a trace of system calls shows it.
    @Test func `no caller makes the service speak to anybody but the gateway`() async throws {
        let lab = try await Lab()
        let shop = Shop()
        try await lab.open(shop)
        let tokens = "{\"operator\":\"\(try await lab.home.token("operator"))\"}"
        let trace = lab.home.folder.file("trace")
        // As a grandchild, so that the process that is started becomes the service.
        let service = try await RunningService(
            lab.home,
            launcher: [
                "strace", "-D", "-f", "-e", "trace=connect,sendto,sendmsg,sendmmsg", "-s", "0",
                "-o", trace,
            ])
        let told = try await ForeignProcess.runBeside(
            "python3", ["\(Self.peers)/elsewhere.py", service.url, lab.apple.gateway],
            input: Array(tokens.utf8))
        #expect(told.status == 0, "\(told.text)\(told.errorText)")
        #expect(try await service.session(shop.order).status == 200)
        #expect(try await service.stop() == 0)
        let lines = String(decoding: lab.home.folder.read("trace"), as: UTF8.self)
            .split(separator: "\n")
        let port = lab.apple.gateway.split(separator: ":").last ?? ""
        let peers = lines.filter { $0.contains("sin_port") || $0.contains("sin6_port") }
        #expect(!peers.isEmpty)
        for line in peers {
            let isGateway =
                line.contains("htons(\(port))")
                && (line.contains("\"127.0.0.1\"") || line.contains("\"::1\""))
            #expect(isGateway, "\(line)")
        }
    }
}
