import AppleSimulator
import Clocks
import Database
import Files
import Glibc
import Issuance
import Merchants
import PKI
import Problems
import Sessions
import TLSServer
import TestSupport
import Testing

@testable import Doctor

/// What `--network` says of gateways that answer, and of what answers in their place.
@Suite struct NetworkTests {
    init() { signal(SIGPIPE, SIG_IGN) }

    private func environment(
        _ url: String, ca: String?, proxy: String? = nil
    ) throws -> GatewayEnvironment {
        GatewayEnvironment(
            name: try EnvironmentName("lab"), realm: try RealmName("lab"),
            gateway: try GatewayAddress(url), gatewayCA: ca, proxy: proxy, isBuiltIn: false)
    }

    @Test func `a gateway that answers is told in a line`() async throws {
        let apple = try AppleSimulator(SimulatorConfiguration())
        try apple.start()
        defer { apple.stop() }
        let ward = try await Ward(gateway: apple.gatewayURL, gatewayCA: apple.gatewayCAPEM)
        // The stand-in's certificates are of today, the ward's clock is not.
        ward.clock.move(to: SystemClock().now)
        let examination = await ward.examine(withNetwork: true)
        let found = examination.findings.filter { $0.check == "network" }
        let line = try #require(found.first, "\(examination.findings)")
        #expect(found.count == 1 && line.severity == .ok && line.subject == "lab")
        #expect(line.summary.contains("TLSv1.") && line.summary.contains("GCM"))
        #expect(line.summary.contains("certificate of “") && line.summary.contains("until 20"))
        #expect(examination.outcomes.allSatisfy { $0.skipped == nil })
    }

    @Test func `whoever answers in a gateway's place is named by the issuer`() async throws {
        // What inspects the traffic has made a certificate of its own for the gateway's name.
        let server = try await FileServer([:])
        let apple = try TestPKI(now: SystemClock().now)
        let ward = try await Ward(
            gateway: server.url, gatewayCA: apple.processingRoot.certificate.pem)
        let findings = await ward.examine(withNetwork: true).findings
        let finding = try #require(findings.first { $0.check == "network" })
        #expect(finding.severity == .critical)
        #expect(finding.summary.contains("shows a certificate of “Test Inc.”"))
        #expect(finding.remedy.contains("“Test Inc.” inspects your traffic"))
        // It is the one to believe, and its certificate is for two names.
        let address = try environment(
            server.url.replacing("localhost", with: "127.0.0.1"), ca: server.authority)
        #expect(await GatewayVisit.make(to: address, within: .seconds(5)).peer?.fault == nil)
        let named = await GatewayVisit.make(
            to: try environment(server.url, ca: server.authority), within: .seconds(5))
        #expect(named.peer?.fault == nil && named.peer?.failure == nil)
        #expect(named.peer?.chain.first?.issuer.organization == "Test Inc.")
    }

    @Test func `a server that demands an identity still shows its own`() async throws {
        // By TLS 1.2 it does so within the handshake, which then fails.
        var configuration = SimulatorConfiguration()
        configuration.newestTLS = .tls12
        let apple = try AppleSimulator(configuration)
        try apple.start()
        defer { apple.stop() }
        let visit = await GatewayVisit.make(
            to: try environment(apple.gatewayURL, ca: apple.gatewayCAPEM), within: .seconds(5))
        #expect(visit.failure == nil && visit.peer?.fault == nil)
        #expect(visit.peer?.chain.isEmpty == false && visit.peer?.version == "TLSv1.2")
        #expect(visit.peer?.failure != nil)
    }

    @Test func `names, refusals and silence are told within their time`() async throws {
        let silent = try SilentListener()
        for (url, code) in [
            ("https://nowhere.invalid", "transfer.name-not-resolved"),
            ("https://localhost:1", "transfer.connection-refused"),
        ] {
            let visit = await GatewayVisit.make(
                to: try environment(url, ca: nil), within: .seconds(5))
            let failure = try #require(visit.failure as? any Explained)
            #expect(failure.code == code)
        }
        let start = ContinuousClock.now
        let visit = await GatewayVisit.make(
            to: try environment("https://127.0.0.1:\(silent.port)", ca: nil),
            within: .seconds(2))
        #expect(ContinuousClock.now - start < .seconds(4))
        #expect(visit.peer?.failure == "time ran out" && visit.peer?.chain.isEmpty == true)
    }

    @Test func `the way goes through the proxy, and a secure one is left out`() async throws {
        let server = try await FileServer([:])
        let script = #filePath.split(separator: "/").dropLast(2).reduce("") { "\($0)/\($1)" }
        let folder = TemporaryFolder()
        let proxy = try BackgroundProcess(
            "python3", ["\(script)/TransfersTests/Peers/proxy.py", "--log", folder.file("log")],
            in: folder.path)
        let came = try await BackgroundProcess.wait(seconds: 20) { proxy.output.hasSuffix("\n") }
        try #require(came, "\(proxy.errors)")
        let port = try #require(
            proxy.output.split(separator: "\n").first?.split(separator: " ").last)
        let visit = await GatewayVisit.make(
            to: try environment(
                server.url, ca: server.authority, proxy: "http://localhost:\(port)"),
            within: .seconds(5))
        #expect(visit.failure == nil && visit.peer?.fault == nil, "\(visit)")
        #expect(visit.route.hasPrefix("through the proxy "))
        let secure = await GatewayVisit.make(
            to: try environment(
                server.url, ca: server.authority, proxy: "https://localhost:\(port)"),
            within: .seconds(5))
        #expect(secure.omission != nil && secure.peer == nil)
    }
}

/// Accepts connections and says nothing.
private final class SilentListener {
    let port: UInt16
    private let descriptor: Int32

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = self.descriptor
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, $0, &size) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        try #require(isBound)
    }

    deinit { close(descriptor) }
}
