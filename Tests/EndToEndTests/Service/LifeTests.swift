import Glibc
import TestSupport
import Testing

/// How a service starts and ends.
@Suite(.twoAtATime) struct LifeTests {
    @Test func `SIGTERM answers what is in flight, refuses the rest and ends with 0`() async throws
    {
        let lab = try await Lab()
        let shop = Shop()
        try await lab.open(shop)
        let service = try await RunningService(lab.home)
        try await lab.apple.behave(#"{"latencyMilliseconds":2000}"#)
        async let inFlight = service.session(shop.order)
        async let overSocket = service.session(shop.order, overSocket: true)
        try await Task.sleep(for: .milliseconds(700))
        service.process.signal(SIGTERM)
        #expect(
            try await BackgroundProcess.wait(seconds: 10) {
                service.log.contains { $0["event"] == "draining" }
            })
        try await Task.sleep(for: .milliseconds(200))
        let refused = try await ForeignProcess.runBeside(
            "curl", ["-sS", "--noproxy", "*", "\(service.url)/healthz"])
        // 7 is curl's "failed to connect".
        #expect(refused.status == 7, "\(refused.text)\(refused.errorText)")
        for reply in [try await inFlight, try await overSocket] {
            #expect(reply.status == 200)
            #expect(reply.headers["connection"]?.lowercased() == "close")
            #expect(reply.json["domainName"] == .string(shop.domain))
        }
        #expect(try await service.process.wait(seconds: 30) == 0)
        #expect(service.log.last?["event"] == "stopped")
        // The socket's file is gone with its service.
        #expect(access(service.socket, F_OK) != 0)
    }

    @Test func `a second SIGTERM ends what is in flight`() async throws {
        let lab = try await Lab()
        let shop = Shop()
        try await lab.open(shop)
        let service = try await RunningService(lab.home)
        try await lab.apple.behave(#"{"acts":{"never-answer":"always"}}"#)
        async let inFlight = service.session(shop.order)
        try await Task.sleep(for: .milliseconds(700))
        let began = ContinuousClock.now
        service.process.signal(SIGTERM)
        try await Task.sleep(for: .milliseconds(300))
        #expect(service.process.ending == nil)
        service.process.signal(SIGTERM)
        let reply = try await inFlight
        #expect(reply.status == 503 && reply.headers["connection"]?.lowercased() == "close")
        #expect(try await service.process.wait(seconds: 30) == 0)
        let lines = service.log.filter { $0["event"] == "request" }
        #expect(lines.map { $0["code"] } == ["service.draining"])
        #expect(service.log.last?["message"].text?.hasPrefix("1 request that had begun") == true)
        // Every line begins alike.
        for line in service.process.errors.split(separator: "\n") {
            #expect(line.wholeMatch(of: #/\{"time":"[^"]*","event":.*/#) != nil, "\(line)")
        }
        // The budget of 10 s was not waited for.
        #expect(ContinuousClock.now - began < .seconds(8))
    }

    @Test func `the service manager is told when it is ready and when it stops`() async throws {
        let home = try await TestHome()
        let socket = home.folder.file("notify")
        let listener = """
            import socket, sys
            manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            manager.bind(sys.argv[1])
            while True:
                print(manager.recv(4096).decode().replace("\\n", " "), flush=True)
            """
        let manager = try BackgroundProcess(
            "python3", ["-c", listener, socket], in: home.folder.path, name: "manager")
        try #require(
            try await BackgroundProcess.wait(seconds: 20) { access(socket, F_OK) == 0 })
        let service = try await RunningService(
            home, environment: ["NOTIFY_SOCKET": socket, "WATCHDOG_USEC": "200000"])
        #expect(
            try await BackgroundProcess.wait(seconds: 10) { manager.output.contains("READY=1") })
        #expect(manager.output.contains("STATUS=serving 0 merchants on 127.0.0.1:"))
        #expect(
            try await BackgroundProcess.wait(seconds: 10) {
                manager.output.contains("WATCHDOG=1")
            })
        #expect(try await service.get("/healthz").status == 200)
        #expect(try await service.stop() == 0)
        #expect(
            try await BackgroundProcess.wait(seconds: 10) { manager.output.contains("STOPPING=1") })
    }

    @Test(arguments: ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"])
    func `an address beyond loopback is refused`(address: String) async throws {
        let home = try await TestHome()
        let (status, code) = try await home.refusal("serve", "--listen", address)
        #expect(status == 78 && code == "serve.beyond-loopback")
    }

    @Test func `an address in use is refused, and the socket of a killed service is not`()
        async throws
    {
        let home = try await TestHome()
        let service = try await RunningService(home)
        let port = String(service.url.dropFirst("http://".count))
        for address in [port, "unix:\(service.socket)"] {
            let (status, code) = try await home.refusal("serve", "--listen", address)
            #expect(status != 0 && code == "listen.address-in-use", "\(address)")
        }
        #expect(try await service.get("/healthz", overSocket: true).status == 200)
        service.process.signal(SIGKILL)
        _ = try await service.process.wait(seconds: 10)
        #expect(access(service.socket, F_OK) == 0)
        let again = try await RunningService(home)
        #expect(try await again.get("/healthz", overSocket: true).status == 200)
        #expect(try await again.stop() == 0)
    }

    @Test func `several services and the command line use one home at once`() async throws {
        let lab = try await Lab()
        let shop = Shop()
        try await lab.open(shop)
        let one = try await RunningService(lab.home, name: "one")
        let two = try await RunningService(lab.home, name: "two")
        // Writers that meet wait for each other; none fails, and the chain stays one.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<6 {
                group.addTask {
                    try await lab.home.must(
                        "domain", "add", shop.merchant, "d\(index).example.com")
                }
            }
            try await group.waitForAll()
        }
        try await lab.apple.register(shop.merchant, domains: ["d5.example.com"])
        for service in [one, two] {
            var status = 0
            for _ in 0..<100 where status != 200 {
                status = try await service.session(#"{"domain":"d5.example.com"}"#).status
            }
            #expect(status == 200)
        }
        try await lab.home.must("audit", "verify")
        #expect(try await one.stop() == 0)
        #expect(try await two.stop() == 0)
    }
}
