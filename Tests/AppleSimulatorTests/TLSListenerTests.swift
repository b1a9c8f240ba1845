import Clocks
import Locks
import PKI
import Secrets
import TLSServer
import TestSupport
import Testing

/// The listener by itself, with an echo for a service.
@Suite struct TLSListenerTests {
    private final class Echo: TLSService {
        let context: TLSContext
        let seen = Locked<[TLSFacts]>([])
        let failures = Locked<[HandshakeFailure]>([])

        init(_ context: TLSContext) { self.context = context }

        func greeting(forConnection connection: UInt64) -> Greeting { .handshake(context) }

        func serve(_ connection: TLSConnection) {
            seen.withLock { $0.append(connection.facts) }
            while let part = try? connection.read(atMost: 1_000), !part.isEmpty {
                guard (try? connection.write(part)) != nil else { return }
                if part.contains(0x0A) { return }
            }
        }

        func handshakeFailed(_ failure: HandshakeFailure) {
            failures.withLock { $0.append(failure) }
        }
    }

    private let pki: TestPKI
    private let clock = ManualClock(SystemClock().now)
    private let folder = TemporaryFolder()

    init() throws {
        pki = try TestPKI(now: clock.now)
    }

    private func identity() throws -> TLSIdentity {
        let key = try TestPKI.sharedKey(.ecP256)
        let certificate = try pki.server(names: [.dns("localhost")], key: key.publicKey)
        return TLSIdentity(chainPEM: Array(certificate.pem.utf8), keyPEM: try key.pkcs8PEM())
    }

    private func connect(_ port: UInt16, _ more: [String] = []) throws -> ForeignProcess.Result {
        try ForeignProcess.run(
            "openssl",
            ["s_client", "-connect", "localhost:\(port)", "-ign_eof"] + more,
            input: Array("hello\n".utf8))
    }

    @Test func `a client without a certificate is served and told about`() throws {
        let echo = Echo(try TLSContext(identity: identity(), clock: clock))
        let listener = try TLSListener(name: "echo", service: echo)
        defer { listener.stop() }
        let done = try connect(listener.port, ["-servername", "shop.example.com"])
        #expect(done.text.contains("hello\n"))
        let facts = try #require(echo.seen.withLock { $0.first })
        #expect(facts.version == "TLSv1.3")
        #expect(facts.cipher.hasPrefix("TLS_"))
        #expect(facts.serverName == "shop.example.com")
        #expect(facts.clientCertificate == nil)
        #expect(!facts.isResumed)
        #expect(facts.sessionMadeOn == 1)
    }

    @Test func `a certificate that is merely requested is admitted with what is wrong with it`()
        throws
    {
        let clients = ClientCertificates(
            demand: .requested, authoritiesPEM: Array(pki.processingRoot.certificate.pem.utf8))
        let echo = Echo(try TLSContext(identity: identity(), clients: clients, clock: clock))
        let listener = try TLSListener(name: "echo", service: echo)
        defer { listener.stop() }
        let key = try TestPKI.sharedKey(.rsa2048)
        let certificate = try pki.identity(merchant: "merchant.test", key: key.publicKey)
        let arguments = [
            "-cert", folder.write("c.pem", Array(certificate.pem.utf8)), "-key",
            folder.write("c.key", try key.pkcs8PEM().withUnsafeBytes { Array($0) }),
        ]
        #expect(try connect(listener.port, arguments).text.contains("hello\n"))
        #expect(try connect(listener.port).text.contains("hello\n"))
        let facts = echo.seen.withLock { $0 }
        #expect(facts.map(\.clientCertificate) == [certificate.der, nil])
        #expect(facts.first?.verificationProblem?.contains("issuer certificate") == true)
    }

    @Test func `versions are bounded`() throws {
        let echo = Echo(try TLSContext(identity: identity(), clock: clock, newest: .tls12))
        let listener = try TLSListener(name: "echo", service: echo)
        defer { listener.stop() }
        #expect(try connect(listener.port).text.contains("Protocol  : TLSv1.2"))
        let refused = try connect(listener.port, ["-tls1_3"])
        #expect(refused.errorText.contains("SSL alert number 70"))
        #expect(echo.failures.withLock { $0.count } == 1)
    }

    @Test func `only loopback is listened on`() throws {
        let echo = Echo(try TLSContext(identity: identity(), clock: clock))
        for host in ["0.0.0.0", "10.0.0.1", "::", "localhost", ""] {
            #expect(throws: TLSServerError.notLoopback(host)) {
                try TLSListener(host: host, name: "echo", service: echo)
            }
        }
        let first = try TLSListener(name: "echo", service: echo)
        #expect(throws: TLSServerError.cannotListen("127.0.0.1:\(first.port)", errno: 98)) {
            try TLSListener(port: first.port, name: "echo", service: echo)
        }
        first.stop()
        try TLSListener(host: "127.0.0.2", port: first.port, name: "echo", service: echo).stop()
    }

    @Test func `a stop wakes connections that wait, and none is left`() async throws {
        let echo = Echo(try TLSContext(identity: identity(), clock: clock))
        let listener = try TLSListener(name: "echo", service: echo)
        let clients = try (0..<5).map { number in
            try BackgroundProcess(
                "sh",
                ["-c", "sleep 30 | openssl s_client -quiet -connect localhost:\(listener.port)"],
                in: folder.path, name: "client\(number)")
        }
        #expect(
            try await BackgroundProcess.wait(seconds: 10) { echo.seen.withLock { $0.count } == 5 })
        let start = ContinuousClock.now
        listener.stop()
        listener.stop()
        #expect(ContinuousClock.now - start < .seconds(2))
        #expect(clients.count == 5)
    }

    @Test func `unusable identities and authorities are refused`() throws {
        let good = try identity()
        let other = try PrivateKey.generate(.ecP256).pkcs8PEM()
        let empty = SecretBytes(copying: [])
        let junk = Array("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8)
        func code(_ identity: TLSIdentity, _ clients: ClientCertificates = .none) -> String? {
            do throws(TLSServerError) {
                _ = try TLSContext(identity: identity, clients: clients, clock: clock)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code(good) == nil)
        #expect(
            code(TLSIdentity(chainPEM: [], keyPEM: good.keyPEM)) == "tls-server.bad-certificate")
        #expect(
            code(TLSIdentity(chainPEM: junk, keyPEM: good.keyPEM)) == "tls-server.bad-certificate")
        #expect(code(TLSIdentity(chainPEM: good.chainPEM, keyPEM: other)) == "tls-server.bad-key")
        #expect(code(TLSIdentity(chainPEM: good.chainPEM, keyPEM: empty)) == "tls-server.bad-key")
        for pem in [[], junk, Array("nothing".utf8)] {
            let clients = ClientCertificates(demand: .required, authoritiesPEM: pem)
            #expect(code(good, clients) == "tls-server.bad-authorities")
        }
    }

    @Test func `every error has a code, a remedy and nothing secret`() {
        for error in TLSServerError.examples {
            #expect(error.code.hasPrefix("tls-server."))
            #expect(!error.remedy.isEmpty)
            #expect(error.summary.count <= 120)
        }
        #expect(Set(TLSServerError.examples.map(\.code)).count == TLSServerError.examples.count)
    }
}
