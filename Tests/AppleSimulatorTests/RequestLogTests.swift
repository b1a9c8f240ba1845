import AppleSimulator
import PKI
import TestSupport
import Testing

/// What the gateway's log tells of clients, connections and resumed sessions.
@Suite struct RequestLogTests {
    @Test(arguments: [["-tls1_2"], ["-tls1_2", "-no_ticket"], ["-tls1_3"]])
    func `a resumed session is logged with its owner`(version: [String]) throws {
        let bench = try SimulatorBench()
        let client = try bench.client()
        let session = bench.folder.file("session.pem")
        let full = try bench.sClient(client, version + ["-sess_out", session])
        #expect(full.text.contains("HTTP/1.1 200 OK"), "\(full.errorText)")
        for _ in 0..<2 {
            // Each resumption brings a newer ticket, which is resumed next.
            let again = try bench.sClient(
                client, version + ["-sess_in", session, "-sess_out", session])
            #expect(again.text.contains("Reused, TLS"), "\(again.errorText)")
        }
        let records = bench.simulator.log.records
        #expect(records.map(\.isResumed) == [false, true, true])
        #expect(records.map(\.sessionMadeOn) == [1, 1, 1])
        #expect(records.allSatisfy { $0.sessionOwnerUID == SimulatorBench.shop })
        #expect(records.allSatisfy { $0.clientUID == SimulatorBench.shop })
        #expect(records.map(\.connection) == [1, 2, 3])
        #expect(Set(records.map(\.tlsVersion)) == [version[0] == "-tls1_2" ? "TLSv1.2" : "TLSv1.3"])
    }

    @Test func `a client on another's session is seen for what it is`() throws {
        let bench = try SimulatorBench()
        let other = "merchant.com.example.other"
        try bench.simulator.portal.register(other, domains: [SimulatorBench.domain])
        let session = bench.folder.file("session.pem")
        _ = try bench.sClient(try bench.client(), ["-sess_out", session])
        // The other merchant's client has its own certificate, but takes up the first one's session.
        _ = try bench.sClient(try bench.client(other), ["-sess_in", session])
        let record = try #require(bench.simulator.log.records.last)
        #expect(record.isResumed)
        #expect(record.sessionOwnerUID == SimulatorBench.shop)
        #expect(record.clientUID == SimulatorBench.shop)
        #expect(record.sessionMadeOn == 1)
    }

    @Test func `requests on one connection are counted`() throws {
        let bench = try SimulatorBench()
        let client = try bench.client()
        let url = bench.simulator.gatewayURL + "/paymentservices/paymentSession"
        _ = try bench.ask(client, [url, url])
        let records = bench.simulator.log.records
        #expect(records.map(\.connection) == [1, 1, 1])
        #expect(records.map(\.request) == [1, 2, 3])
        let record = try #require(records.first)
        #expect(record.serverName == "localhost")
        #expect(record.method == "POST")
        #expect(record.path == "/paymentservices/paymentSession")
        #expect(record.merchantIdentifier == SimulatorBench.shop)
        #expect(record.domain == SimulatorBench.domain)
        #expect(record.clientSerialNumber == client.serialNumber)
        #expect(record.time == bench.clock.now)
    }

    @Test func `the log goes to a file as JSON lines that python reads`() throws {
        let folder = TemporaryFolder()
        let path = folder.file("gateway.jsonl")
        let bench = try SimulatorBench { $0.logPath = path }
        let client = try bench.client()
        #expect(try bench.ask(client).status == 200)
        #expect(try bench.ask(client, body: "{}").status == 400)
        let done = try ForeignProcess.run(
            "python3",
            [
                "-c",
                "import json,sys\nfor l in open(sys.argv[1]): r=json.loads(l); "
                    + "print(r['status'], r['clientUID'], r['isResumed'])", path,
            ])
        #expect(
            done.text == "200 \(SimulatorBench.shop) False\n400 \(SimulatorBench.shop) False\n",
            "\(done.errorText)")
        #expect(folder.read("gateway.jsonl") == bench.simulator.log.jsonLines)
        bench.simulator.log.clear()
        #expect(bench.simulator.log.records.isEmpty)
    }

    @Test func `many merchants at once are told apart while connections close at random`()
        async throws
    {
        let bench = try SimulatorBench()
        bench.simulator.rudeness = Rudeness(acts: [.closeUnannounced: .probability(0.2)])
        let url = bench.simulator.gatewayURL + "/paymentservices/paymentSession"
        let running = try (0..<6).map { number in
            let merchant = "merchant.com.example.m\(number)"
            try bench.simulator.portal.register(merchant, domains: [SimulatorBench.domain])
            let client = try bench.client(merchant)
            return try BackgroundProcess(
                "curl",
                ["-sS", "--noproxy", "*", "--cacert", bench.folder.file("gateway-ca.pem")]
                    + client.curlArguments + ["-d", SimulatorBench.body(merchant: merchant)]
                    + [String](repeating: url, count: 40),
                in: bench.folder.path, name: merchant)
        }
        for process in running {
            #expect(try await process.wait(seconds: 60) == 0, "\(process.errors)")
        }
        let records = bench.simulator.log.records
        #expect(records.count == 240)
        #expect(records.allSatisfy { $0.status == 200 })
        #expect(records.allSatisfy { $0.clientUID == $0.merchantIdentifier })
        #expect(records.allSatisfy { $0.sessionOwnerUID == $0.merchantIdentifier })
        // curl resumes its own session on each new connection.
        #expect(records.contains { $0.isResumed })
    }

    @Test func `what is issued and registered stays over a stop and a start`() throws {
        let bench = try SimulatorBench()
        let client = try bench.client()
        let url = bench.simulator.gatewayURL
        bench.simulator.stop()
        #expect(try bench.ask(client).exit == 7)
        try bench.simulator.start()
        #expect(bench.simulator.gatewayURL == url)
        #expect(try bench.ask(client).status == 200)
    }
}
