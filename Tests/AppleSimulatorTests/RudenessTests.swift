import AppleSimulator
import TLSServer
import TestSupport
import Testing

/// Each rudeness, observed from outside.
@Suite struct RudenessTests {
    private func rude(
        _ acts: [RudeAct: Frequency], _ change: (inout Rudeness) -> Void = { _ in }
    ) throws -> (SimulatorBench, SimulatorBench.Client) {
        let bench = try SimulatorBench()
        let client = try bench.client()
        var rudeness = Rudeness(acts: acts)
        change(&rudeness)
        bench.simulator.rudeness = rudeness
        return (bench, client)
    }

    @Test func `a status for the next two, then the session`() throws {
        let (bench, client) = try rude([:])
        for status in [401, 403, 417, 500, 503] {
            bench.simulator.rudeness = Rudeness(
                acts: [.answerStatus: .next(2)], status: status)
            for _ in 0..<2 {
                let answer = try bench.ask(client)
                #expect(answer.status == status)
                #expect(jsonField("statusCode", in: answer.body) == "\(status)")
                #expect(answer.body.contains("Payment Services Exception"))
            }
            #expect(try bench.ask(client).status == 200)
            #expect(bench.simulator.rudeness.acts.isEmpty)
        }
        #expect(
            bench.simulator.log.records.prefix(3).map(\.rudeness)
                == [[.answerStatus], [.answerStatus], []])
    }

    @Test func `latency is waited before the answer`() throws {
        let (bench, client) = try rude([:]) {
            $0.latencyMilliseconds = 300
            $0.latencyJitterMilliseconds = 50
        }
        let start = ContinuousClock.now
        #expect(try bench.ask(client).status == 200)
        #expect(ContinuousClock.now - start >= .milliseconds(300))
    }

    @Test func `a truncated body is noticed by its length`() throws {
        let (bench, client) = try rude([.truncate: .next(1)])
        let answer = try bench.ask(client)
        #expect(answer.exit == 18, "\(answer.errors)")
        #expect(answer.body.hasPrefix("{\"epochTimestamp\""))
        #expect(!answer.body.contains("pspId"))
    }

    @Test func `a body that is not JSON`() throws {
        let (bench, client) = try rude([.malform: .always])
        let answer = try bench.ask(client)
        #expect(answer.status == 200)
        #expect(answer.body == "<html>this is not JSON</html>")
    }

    @Test func `a huge body`() throws {
        let (bench, client) = try rude([.hugeBody: .next(1)]) { $0.hugeBodyBytes = 3_000_000 }
        #expect(try bench.ask(client).body.utf8.count > 3_000_000)
    }

    @Test func `a chunked answer is whole`() throws {
        let (bench, client) = try rude([.chunk: .always])
        let answer = try bench.ask(client, ["-i"])
        #expect(answer.body.contains("Transfer-Encoding: chunked"))
        #expect(answer.body.hasSuffix("\"}"))
    }

    @Test func `a redirect that nobody should follow`() throws {
        let (bench, client) = try rude([.redirect: .always])
        let answer = try bench.ask(client, ["-i"])
        #expect(answer.status == 302)
        #expect(answer.body.contains("Location: /paymentservices/paymentSession?redirected=1"))
    }

    @Test(arguments: [RudeAct.closeAnnounced, .closeUnannounced])
    func `closing after each answer`(act: RudeAct) throws {
        let (bench, client) = try rude([act: .always])
        let url = bench.simulator.gatewayURL + "/paymentservices/paymentSession"
        let answer = try bench.ask(client, ["-i", url])
        #expect(answer.exit == 0, "\(answer.errors)")
        #expect(answer.body.contains("Connection: close") == (act == .closeAnnounced))
        #expect(bench.simulator.log.records.map(\.connection) == [1, 2])
        bench.simulator.rudeness = .none
        _ = try bench.ask(client, [url])
        #expect(bench.simulator.log.records.map(\.connection) == [1, 2, 3, 3])
    }

    @Test(arguments: [(RudeAct.closeBeforeAnswer, Int32(52)), (.resetBeforeAnswer, 56)])
    func `no answer but the end`(act: RudeAct, exit: Int32) throws {
        let (bench, client) = try rude([act: .next(1)])
        let answer = try bench.ask(client)
        #expect(answer.exit == exit, "\(answer.errors)")
        #expect(bench.simulator.log.records.map(\.status) == [nil])
        #expect(try bench.ask(client).status == 200)
    }

    @Test func `never answering`() throws {
        let (bench, client) = try rude([.neverAnswer: .next(1)])
        #expect(try bench.ask(client, ["--max-time", "1"]).exit == 28)
        #expect(try bench.ask(client).status == 200)
    }

    @Test func `a reset on accept, then silence in place of a handshake`() throws {
        let (bench, client) = try rude([.resetOnAccept: .next(1), .ignoreHandshake: .next(1)])
        let reset = try bench.ask(client)
        // While connecting, in the handshake or on receiving: the reset meets curl where it is.
        #expect([7, 35, 56].contains(reset.exit), "\(reset.errors)")
        #expect(try bench.ask(client, ["--max-time", "1"]).exit == 28)
        #expect(try bench.ask(client).status == 200)
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func `the client's certificate refused with an alert`(version: String) throws {
        let (bench, client) = try rude([:])
        for alert in TLSAlert.allCases {
            bench.simulator.rudeness = Rudeness(acts: [.refuseClient: .next(1)], alert: alert)
            let refused = try bench.sClient(client, [version])
            #expect(
                refused.errorText.contains("SSL alert number \(alert.rawValue)"),
                "\(refused.errorText)")
            // In TLS 1.3 the client was done with its handshake: the alert is late.
            #expect(refused.text.contains("Cipher is TLS_") == (version == "-tls1_3"))
        }
        #expect(try bench.sClient(client, [version]).text.contains("200 OK"))
    }

    @Test func `the gateway's own certificate`() throws {
        let (bench, client) = try rude([:])
        for (kind, words) in [
            (Rudeness.ServerCertificate.untrusted, "certificate"),
            (.expired, "certificate has expired"),
            (.wrongName, "no alternative certificate subject name matches"),
        ] {
            bench.simulator.rudeness.serverCertificate = kind
            let answer = try bench.ask(client)
            #expect(answer.exit == 60, "\(answer.errors)")
            #expect(answer.errors.contains(words), "\(answer.errors)")
        }
        bench.simulator.rudeness.serverCertificate = .trusted
        #expect(try bench.ask(client).status == 200)
    }

    @Test func `an idle connection is closed in good order`() throws {
        let (bench, client) = try rude([:]) { $0.idleCloseMilliseconds = 300 }
        let done = try bench.keptConnection(
            client,
            """
            answer = ask()
            start = time.monotonic()
            while tls.recv(65536): pass
            print(answer, 0.2 < time.monotonic() - start < 5)
            """)
        #expect(done.text == "200 True\n", "\(done.errorText)")
    }

    @Test func `with the same seed the same dice`() throws {
        func statuses(_ seed: UInt64) throws -> [Int] {
            let bench = try SimulatorBench { $0.seed = seed }
            let client = try bench.client()
            bench.simulator.rudeness = Rudeness(acts: [.answerStatus: .probability(0.5)])
            let url = bench.simulator.gatewayURL + "/paymentservices/paymentSession"
            _ = try bench.ask(client, [String](repeating: url, count: 15))
            return bench.simulator.log.records.compactMap(\.status)
        }
        let first = try statuses(7)
        #expect(first.count == 16)
        #expect(Set(first) == [200, 500])
        #expect(try statuses(7) == first)
        #expect(try statuses(8) != first)
    }
}
