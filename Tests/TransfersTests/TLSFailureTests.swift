import Secrets
import TestSupport
import Testing

@testable import Transfers

/// What goes wrong before a request is read: certificates of either side.
@Suite struct TLSFailureTests {
    let authority: TestAuthority
    let loop: TransferLoop

    init() throws {
        authority = try TestAuthority()
        loop = try TransferLoop()
    }

    private func pool(_ identity: ClientIdentity?, _ trust: ServerTrust? = nil) -> ConnectionPool {
        loop.pool(PoolConfiguration(identity: identity, trust: trust ?? authority.trust))
    }

    /// The port of an openssl s_server that demands a certificate of this authority's.
    private func strictServer(
        _ folder: TemporaryFolder, _ version: String
    ) async throws -> (Int, BackgroundProcess) {
        let server = try authority.server()
        let process = try BackgroundProcess(
            "openssl",
            [
                "s_server", "-accept", "127.0.0.1:0", "-www", "-Verify", "1",
                "-verify_return_error", version, "-CAfile", authority.rootPath,
                "-cert", server.certificate, "-key", server.key,
            ], in: folder.path)
        return (try await acceptPort(process), process)
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func `openssl's alerts about a client certificate are told by their number`(
        version: String
    ) async throws {
        let folder = TemporaryFolder()
        let (port, server) = try await strictServer(folder, version)
        let stranger = try TestAuthority().client("merchant.com.example.a")
        let cases: [(ClientIdentity?, UInt8)] = [
            (try authority.client("merchant.com.example.a", days: -1), 45),
            (stranger, 48),
            (nil, version == "-tls1_2" ? 40 : 116),
        ]
        for (identity, alert) in cases {
            let request = TransferRequest(
                .post, "https://localhost:\(port)/", body: Array("{}".utf8))
            await #expect(throws: TransferError.tlsAlert(TLSAlert(number: alert))) {
                try await pool(identity).send(request)
            }
        }
        withExtendedLifetime(server) {}
    }

    @Test func `a late alert is no request that may have arrived`() {
        #expect(!TransferError.tlsAlert(TLSAlert(number: 116)).requestMayHaveArrived)
        #expect(TransferError.tlsAlert(TLSAlert(number: 80)).requestMayHaveArrived)
    }

    @Test func `a server of another authority is not trusted`() async throws {
        let other = try TestAuthority()
        let gateway = try await TestGateway(other, clients: nil)
        let request = TransferRequest(.get, gateway.url("/echo"))
        await #expect {
            try await pool(nil).send(request)
        } throws: {
            guard case .serverUntrusted(let host, let detail)? = $0 as? TransferError else {
                return false
            }
            return host == "localhost:\(gateway.port)"
                && detail == "unable to get local issuer certificate"
        }
        // Nor by the machine's authorities, whichever way they are found.
        await #expect {
            try await pool(nil, .systemBundle).send(request)
        } throws: {
            ($0 as? TransferError)?.code == "transfer.server-untrusted"
        }
        #expect(try gateway.lines().allSatisfy { $0.path == nil })
    }

    @Test func `a server with another name is told apart`() async throws {
        let gateway = try await TestGateway(authority, names: "DNS:other.example", clients: nil)
        await #expect(throws: TransferError.serverNameMismatch(host: "localhost:\(gateway.port)")) {
            try await pool(nil).send(TransferRequest(.get, gateway.url("/echo")))
        }
        await #expect(throws: TransferError.serverNameMismatch(host: "127.0.0.1:\(gateway.port)")) {
            try await pool(nil).send(
                TransferRequest(.get, gateway.url("/echo", host: "127.0.0.1")))
        }
    }

    @Test func `a key of another certificate fails before anything is sent`() async throws {
        let gateway = try await TestGateway(authority, clients: authority)
        let one = try authority.client("merchant.com.example.a")
        let other = try authority.client("merchant.com.example.b")
        let mixed = ClientIdentity(
            certificateChainPEM: one.certificateChainPEM, privateKeyPEM: other.privateKeyPEM)
        await #expect(
            throws: TransferError.identityUnusable(
                detail: "the key is not in PEM, or not the certificate's")
        ) {
            try await pool(mixed).send(TransferRequest(.post, gateway.url("/echo")))
        }
        #expect(try gateway.lines().allSatisfy { $0.path == nil })
    }

    @Test func `an identity or a bundle that is no PEM is unusable`() async throws {
        let gateway = try await TestGateway(authority, clients: nil)
        let request = TransferRequest(.post, gateway.url("/echo"))
        let nonsense = ClientIdentity(
            certificateChainPEM: Array("nonsense".utf8),
            privateKeyPEM: SecretBytes(copying: Array("nonsense".utf8)))
        await #expect(
            throws: TransferError.identityUnusable(detail: "the certificate is not in PEM")
        ) {
            try await pool(nonsense).send(request)
        }
        await #expect {
            try await pool(nil, .bundle(pem: Array("nonsense".utf8))).send(request)
        } throws: {
            ["transfer.trust-unusable", "transfer.server-untrusted"]
                .contains(($0 as? TransferError)?.code)
        }
    }

    @Test func `TLS 1.1 is not spoken`() async throws {
        let server = try authority.server()
        let folder = TemporaryFolder()
        let process = try BackgroundProcess(
            "openssl",
            [
                "s_server", "-accept", "127.0.0.1:0", "-www", "-tls1_1", "-cipher",
                "ALL:@SECLEVEL=0", "-cert", server.certificate, "-key", server.key,
            ], in: folder.path)
        let port = try await acceptPort(process)
        await #expect {
            try await pool(nil).send(TransferRequest(.get, "https://localhost:\(port)/"))
        } throws: {
            guard let error = $0 as? TransferError else { return false }
            return error == .tlsAlert(TLSAlert(number: 70))
                || error.code == "transfer.handshake-failed"
        }
    }

    @Test func `a server that speaks no TLS is no agreement`() async throws {
        let folder = TemporaryFolder()
        let proxy = try BackgroundProcess(
            "python3", [peer("proxy.py"), "--log", folder.file("log")], in: folder.path)
        let port = try await portPrinted(by: proxy)
        proxy.signal(19)  // SIGSTOP: it accepts in the kernel and says nothing
        var configuration = PoolConfiguration(identity: nil, trust: authority.trust)
        configuration.connectTimeout = .milliseconds(300)
        await #expect(
            throws: TransferError.connectTimedOut(host: "127.0.0.1:\(port)", stage: .handshake)
        ) {
            try await loop.pool(configuration).send(
                TransferRequest(.get, "https://127.0.0.1:\(port)/"))
        }
    }

    @Test func `the machine's authorities are believed in either form`() async throws {
        let gateway = try await TestGateway(authority, clients: nil)
        let folder = TemporaryFolder()
        folder.write("test.pem", authority.folder.read("root.pem"))
        #expect(try ForeignProcess.run("openssl", ["rehash", folder.path]).status == 0)
        for trust in [
            SystemTrust(folder: folder.path, file: "/absent"),
            SystemTrust(folder: "/absent", file: authority.rootPath),
        ] {
            var configuration = PoolConfiguration(identity: nil)
            configuration.systemTrust = trust
            let response = try await loop.pool(configuration).send(
                TransferRequest(.get, gateway.url("/echo")))
            #expect(response.status == 200)
        }
        var configuration = PoolConfiguration(identity: nil)
        configuration.systemTrust = SystemTrust(folder: "/absent", file: "/absent")
        await #expect {
            try await loop.pool(configuration).send(TransferRequest(.get, gateway.url("/echo")))
        } throws: {
            ($0 as? TransferError)?.code == "transfer.trust-unusable"
        }
    }

    @Test func `the machine's authorities are found in either form`() throws {
        let folder = TemporaryFolder()
        folder.write("ca-certificates.crt", [])
        #expect(SystemTrust(folder: folder.path, file: "/file") == .file("/file"))
        #expect(SystemTrust(folder: folder.file("absent"), file: "/file") == .file("/file"))
        folder.write("002c0b4f.0", [])
        #expect(SystemTrust(folder: folder.path, file: "/file") == .folder(folder.path))
    }
}
