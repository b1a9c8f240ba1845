import AppleSimulator
import Clocks
import Database
import Issuance
import Merchants
import PKI
import Registry
import TestSupport
import Testing
import Watch

/// With real responders (`openssl ocsp`) for certificates of the test's own authorities.
@Suite struct OCSPCheckTests {
    private var pki: TestPKI
    private let responder: OCSPResponder

    init() throws {
        pki = try TestPKI(now: OCSPResponder.now)
        responder = try OCSPResponder(for: pki.identityIntermediate)
    }

    private var anchors: [Certificate] {
        [pki.identityRoot, pki.processingRoot].map(\.certificate) + pki.intermediates
    }

    /// An identity in use that names `url`.
    private func identity(
        on bench: WatchBench, url: String?, chain: [Certificate] = []
    ) async throws -> (Credential, Certificate) {
        var pki = pki
        pki.ocspURL = url
        let minter = pki
        return try await bench.activate(chain: chain) { csr in
            try minter.identity(merchant: bench.merchant.text, key: csr.publicKey)
        }
    }

    private func bench(_ change: (inout WatchBench.Lab) -> Void = { _ in }) async throws
        -> WatchBench
    {
        var lab = WatchBench.Lab()
        lab.anchors = anchors
        lab.domains = []
        change(&lab)
        return try await WatchBench(lab)
    }

    @Test func `good, then revoked, which no silence and no old answer takes back`() async throws {
        let bench = try await bench()
        var running = try await responder.serve()
        let port = running.port
        let (credential, certificate) = try await identity(on: bench, url: running.url)
        // A responder reads its index when it starts.
        responder.tell([(certificate, .good)])
        running = try await restart(running, port)
        await bench.run()
        let good = try #require(try await bench.seen(.ocsp, credential.id.text))
        #expect(good.outcome == "good")
        #expect(
            good.detail == "certificate \(certificate.serialNumber) is not revoked, says "
                + "127.0.0.1:\(port)")

        let moment = OCSPResponder.now.adding(days: -1)
        responder.tell([(certificate, .revoked(at: moment, reason: "keyCompromise"))])
        running = try await restart(running, port)
        bench.clock.move(to: OCSPResponder.now)
        await bench.run()
        let revoked = try #require(try await bench.seen(.ocsp, credential.id.text))
        #expect(revoked.outcome == "revoked")
        #expect(revoked.detail.contains("was revoked at \(moment) (key compromise)"))
        #expect(revoked.since == revoked.at && revoked.at > good.at)

        // The responder forgets it, is gone, or says what it said before.
        responder.tell([])
        running = try await restart(running, port)
        await bench.run()
        #expect(try await bench.outcome(.ocsp, credential) == "revoked")
        responder.tell([(certificate, .good)])
        running = try await restart(running, port)
        let now = bench.clock.now
        bench.clock.move(to: now.adding(seconds: 200))
        try await bench.home.database.write {
            // It was seen to be revoked after the time of the answer that comes now.
            try Observations.record(
                Observation(
                    .ocsp, of: credential.id.text, outcome: "failed", at: bench.clock.now), in: $0)
            try Observations.record(
                Observation(
                    .ocsp, of: credential.id.text, outcome: "revoked", detail: revoked.detail,
                    at: bench.clock.now), in: $0)
        }
        await bench.run()
        #expect(try await bench.outcome(.ocsp, credential) == "revoked")
        try await running.stop()
        await bench.run()
        #expect(try await bench.outcome(.ocsp, credential) == "revoked")

        // A hold that was lifted: an answer made since.
        try await bench.home.database.write {
            try Observations.record(
                Observation(.ocsp, of: credential.id.text, outcome: "failed", at: now), in: $0)
            try Observations.record(
                Observation(
                    .ocsp, of: credential.id.text, outcome: "revoked", detail: revoked.detail,
                    at: now.adding(seconds: -30)), in: $0)
        }
        bench.clock.move(to: OCSPResponder.now)
        let again = try await responder.serve(onPort: port)
        await bench.run()
        #expect(try await bench.outcome(.ocsp, credential) == "good")
        withExtendedLifetime(again) {}
    }

    private func restart(
        _ running: OCSPResponder.Running, _ port: Int
    ) async throws -> OCSPResponder.Running {
        try await running.stop()
        return try await responder.serve(onPort: port)
    }

    @Test func `a responder that cannot be reached or believed is a failure, and told`()
        async throws
    {
        let bench = try await bench()
        let (credential, _) = try await identity(on: bench, url: "http://127.0.0.1:1/ocsp")
        let errors = await bench.checks().run()
        #expect(errors.map { ($0 as? NetworkCheckError)?.code } == ["watch.issuers-silent"])
        #expect(
            (errors.first as? NetworkCheckError)?.summary
                == "a certificate in use could not be asked about: 127.0.0.1:1 refuses connections")
        let refused = try #require(try await bench.seen(.ocsp, credential.id.text))
        #expect(refused.outcome == "failed")
        #expect(refused.detail.contains("could not be asked about: 127.0.0.1:1 refuses"))
        // Another authority's responder answers there.
        let other = try OCSPResponder(
            for: pki.identityIntermediate.certificate, signing: pki.stranger.certificate,
            with: pki.stranger.key)
        let running = try await other.serve()
        let (second, _) = try await identity(on: bench, url: running.url)
        await bench.run()
        let unbelieved = try #require(try await bench.seen(.ocsp, second.id.text))
        #expect(unbelieved.outcome == "failed")
        #expect(unbelieved.detail.contains("may not"))
        // The one before is retiring now, and still looked at.
        #expect(try await bench.outcome(.ocsp, credential) == "failed")
        withExtendedLifetime(running) {}
    }

    @Test func `processing certificates are asked about at their own issuer`() async throws {
        let bench = try await bench()
        let processing = try OCSPResponder(for: pki.processingIntermediate)
        let running = try await processing.serve()
        var minter = pki
        minter.ocspURL = running.url
        let chosen = minter
        let (credential, _) = try await bench.activate(.paymentProcessing) { csr in
            try chosen.processing(merchant: bench.merchant.text, key: csr.publicKey)
        }
        await bench.run()
        #expect(try await bench.outcome(.ocsp, credential) == "unknown")
        withExtendedLifetime(running) {}
    }

    @Test func `the issuer is taken from beside the key where nobody trusts it`() async throws {
        let running = try await responder.serve()
        let bench = try await bench { $0.anchors = [pki.identityRoot.certificate] }
        let alone = try await identity(on: bench, url: running.url).0
        let errors = await bench.checks().run()
        #expect(errors.map { ($0 as? NetworkCheckError)?.code } == ["watch.issuer-unknown"])
        #expect(try await bench.outcome(.ocsp, alone) == nil)
        let chained = try await identity(
            on: bench, url: running.url, chain: [pki.identityIntermediate.certificate]
        ).0
        _ = await bench.checks().run()
        #expect(try await bench.outcome(.ocsp, chained) == "unknown")
        withExtendedLifetime(running) {}
    }

    @Test func `a delegate of the stand-in for Apple says what its identities are`() async throws {
        var configuration = SimulatorConfiguration()
        let port = FreePort.any()
        configuration.ocspURL = "http://127.0.0.1:\(port)/ocsp"
        let apple = try AppleSimulator(configuration)
        try apple.portal.register("merchant.com.example.shop", domains: WatchBench.domains)
        try apple.start()
        defer { apple.stop() }
        let bench = try await WatchBench(at: apple)
        let (credential, certificate) = try await bench.activate { csr in
            try Certificate(
                der: apple.portal.sign(
                    csr: csr.der, merchant: bench.merchant.text, kind: .merchantIdentity))
        }
        let responder = try OCSPResponder(
            for: Certificate(pem: Array(apple.identityIntermediatePEM.utf8)),
            signing: Certificate(pem: Array(apple.identityResponderPEM.utf8)),
            with: PrivateKey(pem: apple.identityResponderKeyPEM))
        responder.tell([
            (certificate, .revoked(at: bench.clock.now.adding(days: -1), reason: "superseded"))
        ])
        let running = try await responder.serve(onPort: port)
        await bench.run()
        #expect(try await bench.outcome(.ocsp, credential) == "revoked")
        // The stand-in's gateway does not know of it.
        #expect(try await bench.outcome(.rehearsal, credential) == "proven")
        #expect(try await bench.seen(.gateway, "lab")?.outcome == "healthy")
        withExtendedLifetime(running) {}
    }

    @Test func `the proxy of the merchant's environment is used`() async throws {
        let running = try await responder.serve()
        let proxy = try await PlainProxy()
        let bench = try await bench { $0.proxy = "http://127.0.0.1:\(proxy.port)" }
        let credential = try await identity(on: bench, url: running.url).0
        await bench.run()
        #expect(try await bench.outcome(.ocsp, credential) == "unknown")
        #expect(proxy.asked == [running.url])
        withExtendedLifetime(running) {}
    }

    @Test func `who names no address is not asked about, nor who is out of use`() async throws {
        let bench = try await bench()
        let credential = try await identity(on: bench, url: nil).0
        await bench.run()
        #expect(try await bench.outcome(.ocsp, credential) == "unnamed")
        let other = try await identity(on: bench, url: "http://127.0.0.1:1/").0
        try await bench.home.retireMerchant(bench.merchant)
        await bench.run()
        #expect(try await bench.outcome(.ocsp, other) == nil)
    }

    @Test func `a certificate that is good is asked about once an hour`() async throws {
        let bench = try await bench()
        let credential = try await identity(on: bench, url: "http://127.0.0.1:1/").0
        let known = Observation(
            .ocsp, of: credential.id.text, outcome: "good", at: bench.clock.now)
        try await bench.home.database.write { try Observations.record(known, in: $0) }
        bench.clock.move(to: known.at.adding(seconds: 3_599))
        await bench.run { $0.askAfter = 3_600 }
        #expect(try await bench.seen(.ocsp, credential.id.text) == known)
        bench.clock.move(to: known.at.adding(seconds: 3_600))
        await bench.run { $0.askAfter = 3_600 }
        #expect(try await bench.outcome(.ocsp, credential) == "failed")
    }

    @Test func `when the time is up nothing more is begun, and that is told`() async throws {
        let bench = try await bench()
        let credential = try await identity(on: bench, url: "http://127.0.0.1:1/").0
        let errors = await bench.checks { $0.total = .zero }.run()
        let codes = errors.compactMap { ($0 as? NetworkCheckError)?.code }
        #expect(codes.contains("watch.out-of-time") && codes.count == errors.count)
        #expect(try await bench.outcome(.ocsp, credential) == nil)
    }
}

/// A proxy of Python's that passes plain HTTP on.
private final class PlainProxy: Sendable {
    let port: Int
    private let folder = TemporaryFolder()
    private let process: BackgroundProcess

    init() async throws {
        process = try BackgroundProcess("python3", ["-c", Self.program], in: folder.path)
        let process = self.process
        _ = try await BackgroundProcess.wait(seconds: 20) { process.output.hasSuffix("\n") }
        port = try #require(Int(process.output.split(separator: "\n").first ?? ""))
    }

    /// The addresses that were asked for.
    var asked: [String] { process.output.split(separator: "\n").dropFirst().map(String.init) }

    private static let program = """
        import http.server, urllib.request
        class Proxy(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                print(self.path, flush=True)
                body = self.rfile.read(int(self.headers["Content-Length"]))
                opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
                request = urllib.request.Request(self.path, body, {"Content-Type": "application/ocsp-request"})
                answer = opener.open(request).read()
                self.send_response(200)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
        print(server.server_port, flush=True)
        server.serve_forever()
        """
}
