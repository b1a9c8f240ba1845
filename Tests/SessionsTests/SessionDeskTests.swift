import AppleSimulator
import FoundationEssentials
import Merchants
import SessionSupport
import TLSServer
import Testing

@testable import Sessions

/// The path to Apple against the stand-in's gateway, over real mutual TLS.
@Suite struct SessionDeskTests {
    @Test func `a session is made as the merchant, and the next one on the same connection`()
        async throws
    {
        let bench = try SessionBench()
        let desk = try bench.desk()
        let first = try await desk.session(for: try SessionBench.order())
        let second = try await desk.session(for: try SessionBench.order())
        struct Told: Decodable {
            var domainName: String
            var displayName: String
        }
        let told = try JSONDecoder().decode(Told.self, from: Data(first.bytes))
        #expect(told.domainName == SessionBench.domain && told.displayName == "Example Shop")
        #expect(first.attempts == 1 && !first.connectionReused)
        #expect(second.attempts == 1 && second.connectionReused)
        let records = bench.apple.log.records
        #expect(records.map(\.clientUID) == [SessionBench.shop, SessionBench.shop])
        #expect(records.allSatisfy { $0.serverName == "localhost" && $0.status == 200 })
        #expect(records.allSatisfy { $0.path == "/paymentservices/paymentSession" })
    }

    @Test func `ten merchants in turn never travel on another's connection or TLS session`()
        async throws
    {
        let bench = try SessionBench {
            $0.rudeness.acts = [.closeUnannounced: .probability(0.3), .closeAnnounced: .next(5)]
        }
        let names = (0..<10).map { "shop\($0)" }
        let entries = try names.map { name in
            let merchant = "merchant.com.example.\(name)"
            let domain = "\(name).example.com"
            try bench.apple.portal.register(merchant, domains: [domain])
            return try bench.entry(merchant, domain: domain, as: try bench.identity(of: merchant))
        }
        let desk = SessionDesk(roster: Roster(entries, known: []), loop: bench.loop)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for turn in 0..<200 {
                let domain = "\(names[turn % 10]).example.com"
                group.addTask {
                    _ = try await desk.session(for: try SessionBench.order(domain: domain))
                }
                if turn % 20 == 19 { try await group.waitForAll() }
            }
        }
        for record in bench.apple.log.records {
            #expect(record.clientUID == record.merchantIdentifier)
            if record.isResumed { #expect(record.sessionOwnerUID == record.clientUID) }
        }
        #expect(bench.apple.log.records.contains { $0.isResumed })
    }

    @Test func `each loop has connections of its own, and a new roster closes all of them`()
        async throws
    {
        let bench = try SessionBench()
        let entry = try bench.entry(as: try bench.identity())
        let second = try SessionBench().loop
        let desk = SessionDesk(
            roster: SessionBench.roster(entry), loops: [bench.loop, second])
        var reused: [Bool] = []
        for loop in [0, 1, 0, 1] {
            let session = try await desk.session(for: try SessionBench.order(), onLoop: loop)
            reused.append(session.connectionReused)
        }
        #expect(reused == [false, false, true, true])
        desk.replace(roster: SessionBench.roster(try bench.entry(as: try bench.identity())))
        for loop in [0, 1] {
            let next = try await desk.session(for: try SessionBench.order(), onLoop: loop)
            #expect(!next.connectionReused)
        }
        desk.close()
    }

    @Test func `a new roster is in force for the next order`() async throws {
        let bench = try SessionBench()
        let desk = try bench.desk()
        _ = try await desk.session(for: try SessionBench.order())
        let successor = try bench.identity()
        desk.replace(roster: SessionBench.roster(try bench.entry(as: successor)))
        let next = try await desk.session(for: try SessionBench.order())
        #expect(!next.connectionReused)
        let serials = bench.apple.log.records.map(\.clientSerialNumber)
        #expect(serials.count == 2 && serials[0] != serials[1])
        desk.replace(roster: Roster([], known: []))
        let domain = try DomainName(SessionBench.domain)
        await #expect(throws: SessionError.domainNotRegistered(domain, merchant: nil)) {
            try await desk.session(for: try SessionBench.order())
        }
    }

    @Test func `a roster that changes under load loses no request`() async throws {
        let bench = try SessionBench()
        let desk = try bench.desk()
        // With the first one three: no more are allowed at Apple.
        let rosters = try (0..<2).map { _ in
            SessionBench.roster(try bench.entry(as: try bench.identity()))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<25 {
                        _ = try await desk.session(for: try SessionBench.order())
                    }
                }
            }
            group.addTask {
                for turn in 0..<40 {
                    desk.replace(roster: rosters[turn % 2])
                    try await Task.sleep(for: .milliseconds(5))
                }
            }
            try await group.waitForAll()
        }
        let answered = bench.apple.log.records.filter { $0.status == 200 }
        #expect(answered.count == 200)
    }
}

// MARK: - Retries

/// One retry, and only where the request failed before an answer or Apple answered with 5xx.
@Suite struct SessionRetryTests {
    /// How a desk's session ends when the gateway is rude, and how often the gateway was asked.
    private func outcome(
        _ rudeness: Rudeness, total: Duration = .seconds(5), after sessions: Int = 0
    ) async throws -> (result: Result<MerchantSession, SessionError>, asked: Int) {
        let bench = try SessionBench()
        let desk = try bench.desk(total: total)
        let order = try SessionBench.order()
        for _ in 0..<sessions { _ = try await desk.session(for: order) }
        bench.apple.log.clear()
        bench.apple.rudeness = rudeness
        let result: Result<MerchantSession, SessionError>
        do throws(SessionError) {
            result = .success(try await desk.session(for: order))
        } catch {
            result = .failure(error)
        }
        return (result, bench.apple.log.records.filter { $0.event == .request }.count)
    }

    private func rude(
        _ act: RudeAct, _ frequency: Frequency = .always, status: Int = 500
    ) -> Rudeness {
        var rudeness = Rudeness.none
        rudeness.acts = [act: frequency]
        rudeness.status = status
        return rudeness
    }

    @Test(arguments: [500, 503])
    func `a failure of Apple's is asked about once more`(status: Int) async throws {
        let once = try await outcome(rude(.answerStatus, .next(1), status: status))
        #expect(try once.result.get().attempts == 2 && once.asked == 2)
        let always = try await outcome(rude(.answerStatus, status: status))
        #expect(throws: SessionError.appleFailed(status: status)) { try always.result.get() }
        #expect(always.asked == 2)
    }

    @Test(arguments: [400, 401, 403, 404, 417, 429])
    func `a refusal is final`(status: Int) async throws {
        let (result, asked) = try await outcome(rude(.answerStatus, status: status))
        #expect(throws: SessionError.self) { try result.get() }
        #expect(asked == 1)
    }

    @Test(arguments: [RudeAct.closeBeforeAnswer, .resetBeforeAnswer])
    func `a connection that ends before the answer is tried once more, on a new one`(
        act: RudeAct
    ) async throws {
        let once = try await outcome(rude(act, .next(1)), after: 1)
        let session = try once.result.get()
        #expect(session.attempts == 2 && !session.connectionReused && once.asked == 2)
        let always = try await outcome(rude(act))
        #expect { try always.result.get() } throws: {
            ($0 as? SessionError)?.code == "session.network-connection-broken"
        }
        #expect(always.asked == 2)
    }

    @Test func `silence is waited for within the budget and not asked about again`() async throws {
        let start = ContinuousClock.now
        let (result, asked) = try await outcome(rude(.neverAnswer), total: .milliseconds(700))
        #expect { try result.get() } throws: {
            ($0 as? SessionError)?.code == "session.network-answer-timed-out"
        }
        #expect(asked <= 1 && ContinuousClock.now - start < .seconds(4))
    }

    @Test func `a failure that leaves no time for a retry is final`() async throws {
        var rudeness = rude(.answerStatus)
        rudeness.latencyMilliseconds = 700
        let (result, asked) = try await outcome(rudeness, total: .milliseconds(850), after: 1)
        #expect(throws: SessionError.appleFailed(status: 500)) { try result.get() }
        #expect(asked == 1)
    }

    @Test(arguments: [
        (RudeAct.redirect, "session.apple-redirected"), (.truncate, "session.apple-truncated"),
        (.malform, "session.apple-malformed"), (.hugeBody, "session.apple-oversized"),
    ])
    func `an answer that is no session is told and not asked for again`(act: RudeAct, code: String)
        async throws
    {
        let (result, asked) = try await outcome(rude(act))
        #expect { try result.get() } throws: { ($0 as? SessionError)?.code == code }
        #expect(asked == 1)
    }

    @Test(arguments: [RudeAct.chunk, .closeAnnounced, .closeUnannounced])
    func `what HTTP allows is no failure`(act: RudeAct) async throws {
        let (result, asked) = try await outcome(rude(act), after: 1)
        #expect(try result.get().attempts == 1 && asked == 1)
    }

    @Test(arguments: [
        (Rudeness.ServerCertificate.untrusted, "session.network-gateway-untrusted"),
        (.expired, "session.network-gateway-expired"),
        (.wrongName, "session.network-gateway-misnamed"),
    ])
    func `a gateway that cannot prove itself is not spoken to`(
        certificate: Rudeness.ServerCertificate, code: String
    ) async throws {
        var rudeness = Rudeness.none
        rudeness.serverCertificate = certificate
        let (result, asked) = try await outcome(rudeness)
        #expect { try result.get() } throws: { ($0 as? SessionError)?.code == code }
        #expect(asked == 0)
    }
}

// MARK: - Certificates that Apple refuses

@Suite struct RefusedCertificateTests {
    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `an alert about the certificate tells of the certificate`(version: TLSVersion)
        async throws
    {
        let bench = try SessionBench { $0.newestTLS = version }
        let desk = try bench.desk()
        for (alert, error) in [
            (.certificateExpired, .certificateExpired),
            (.certificateUnknown, .certificateRefused(how: "TLS alert 46, certificate_unknown")),
            (.unknownAuthority, .certificateRefused(how: "TLS alert 48, unknown_ca")),
        ] as [(TLSAlert, SessionError)] {
            var rudeness = Rudeness.none
            rudeness.acts = [.refuseClient: .always]
            rudeness.alert = alert
            bench.apple.rudeness = rudeness
            await #expect(throws: error) {
                try await desk.session(for: try SessionBench.order())
            }
        }
    }

    @Test func `a certificate from another issuer is refused`() async throws {
        let bench = try SessionBench()
        let desk = try bench.desk(faults: [.unknownIssuer])
        await #expect {
            try await desk.session(for: try SessionBench.order())
        } throws: { ($0 as? SessionError)?.code == "session.certificate-refused" }
    }
}
