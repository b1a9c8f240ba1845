import AppleSimulator
import Clocks
import Merchants
import PKI
import Secrets
import TestSupport
import Testing

/// A started stand-in, a merchant registered with it, and `curl` and `openssl` to look at it with.
final class SimulatorBench: Sendable {
    static let shop = "merchant.com.example.shop"
    static let domain = "shop.example.com"

    let simulator: AppleSimulator
    let clock: ManualClock
    let folder = TemporaryFolder()

    /// The files of a client: certificate and key as PEM.
    struct Client {
        let certificate: String
        let key: String
        let serialNumber: String

        var curlArguments: [String] { ["--cert", certificate, "--key", key] }
        var opensslArguments: [String] { ["-cert", certificate, "-key", key] }
    }

    /// What `curl` has to tell.
    struct Answer {
        /// `curl`'s own exit status; 0 for an answer, whatever its status.
        let exit: Int32
        let status: Int
        let body: String
        let errors: String
    }

    init(_ change: (inout SimulatorConfiguration) -> Void = { _ in }) throws {
        clock = ManualClock(SystemClock().now)
        var configuration = SimulatorConfiguration()
        change(&configuration)
        simulator = try AppleSimulator(configuration, clock: clock)
        try simulator.portal.register(Self.shop, domains: [Self.domain])
        try simulator.start()
        folder.write("gateway-ca.pem", Array(simulator.gatewayCAPEM.utf8))
        folder.write("identity-root.pem", Array(simulator.identityRootPEM.utf8))
        folder.write("processing-root.pem", Array(simulator.processingRootPEM.utf8))
        folder.write("identity-intermediate.pem", Array(simulator.identityIntermediatePEM.utf8))
        folder.write("processing-intermediate.pem", Array(simulator.processingIntermediatePEM.utf8))
    }

    deinit {
        simulator.stop()
    }

    /// A client with a merchant identity from the portal, or one with faults.
    func client(
        _ merchant: String = shop, faults: Set<CertificateFlaw> = [], days: Int64 = 760
    ) throws -> Client {
        let key = try TestPKI.sharedKey(.rsa2048)
        let certificate = try Certificate(
            der: simulator.portal.sign(
                csr: try Self.csr(key), merchant: merchant, kind: .merchantIdentity, faults: faults,
                days: days))
        return try self.client(certificate, key)
    }

    func client(_ certificate: Certificate, _ key: PrivateKey) throws -> Client {
        let name = certificate.sha256.prefix(16)
        let pem = try key.pkcs8PEM().withUnsafeBytes { Array($0) }
        return Client(
            certificate: folder.write("\(name).pem", Array(certificate.pem.utf8)),
            key: folder.write("\(name).key", pem), serialNumber: certificate.serialNumber)
    }

    static func csr(_ key: PrivateKey) throws -> [UInt8] {
        Array(
            try CertificateSigningRequest.make(subject: .init(commonName: "ignored"), key: key)
                .pem.utf8)
    }

    /// The body of a request for a session, with changes.
    static func body(
        merchant: String = shop, domain: String = domain, displayName: String = "Example Shop",
        initiative: String = "web"
    ) -> String {
        """
        {"merchantIdentifier":"\(merchant)","displayName":"\(displayName)",\
        "initiative":"\(initiative)","initiativeContext":"\(domain)"}
        """
    }

    /// Runs `curl` with the gateway's CA.
    func curl(_ arguments: [String], input: [UInt8] = []) throws -> Answer {
        let done = try ForeignProcess.run(
            "curl",
            [
                "-sS", "--noproxy", "*", "--max-time", "20", "--cacert",
                folder.file("gateway-ca.pem"), "-w", "\n%{http_code}",
            ] + arguments, input: input)
        var lines = done.text.split(separator: "\n", omittingEmptySubsequences: false)
        let status = lines.popLast().flatMap { Int($0) } ?? 0
        return Answer(
            exit: done.status, status: status, body: lines.joined(separator: "\n"),
            errors: done.errorText)
    }

    /// Asks the gateway for a session.
    func ask(
        _ client: Client?, body: String = body(), path: String = "/paymentservices/paymentSession",
        _ more: [String] = []
    ) throws -> Answer {
        try curl(
            (client?.curlArguments ?? []) + more
                + ["-H", "Content-Type: application/json", "-d", body, simulator.gatewayURL + path])
    }

    /// Runs Python with one connection to the gateway, `tls`, and `ask()`, which sends a request on
    /// it and gives the status.
    func keptConnection(_ client: Client, _ script: String) throws -> ForeignProcess.Result {
        let preamble = """
            import http.client, socket, ssl, sys, time
            ca, cert, key, gateway, portal, body = sys.argv[1:]
            context = ssl.create_default_context(cafile=ca)
            context.load_cert_chain(cert, key)
            raw = socket.create_connection(("127.0.0.1", int(gateway)), timeout=10)
            tls = context.wrap_socket(raw, server_hostname="localhost")
            head = "POST /paymentservices/paymentSession HTTP/1.1\\r\\nHost: localhost\\r\\n"
            head += f"Content-Length: {len(body)}\\r\\n\\r\\n"
            def ask():
                tls.sendall((head + body).encode())
                answer = http.client.HTTPResponse(tls)
                answer.begin()
                answer.read()
                return answer.status

            """
        return try ForeignProcess.run(
            "python3",
            [
                "-c", preamble + script, folder.file("gateway-ca.pem"), client.certificate,
                client.key, Self.port(simulator.gatewayURL), Self.port(simulator.portalURL),
                Self.body(),
            ])
    }

    static func port(_ url: String) -> String {
        String(url.split(separator: ":").last ?? "")
    }

    /// Sends one request by `openssl s_client`, with or without a client certificate.
    func sClient(_ client: Client?, _ more: [String] = []) throws -> ForeignProcess.Result {
        let body = Self.body()
        let request =
            "POST /paymentservices/paymentSession HTTP/1.1\r\nHost: localhost\r\n"
            + "Connection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        return try ForeignProcess.run(
            "openssl",
            [
                "s_client", "-connect", "127.0.0.1:\(Self.port(simulator.gatewayURL))",
                "-servername", "localhost", "-ign_eof",
                "-CAfile", folder.file("gateway-ca.pem"), "-verify_return_error",
            ] + (client?.opensslArguments ?? []) + more, input: Array(request.utf8))
    }
}

/// The value of a string or number in a flat JSON object, as text; for looking at answers without
/// the code under test.
func jsonField(_ name: String, in json: String) -> String? {
    guard let start = json.firstRange(of: "\"\(name)\":")?.upperBound else { return nil }
    let rest = json[start...]
    guard rest.first == "\"" else { return String(rest.prefix { $0 != "," && $0 != "}" }) }
    var value = ""
    var isEscaped = false
    for character in rest.dropFirst() {
        if isEscaped {
            value.append(character)
            isEscaped = false
        } else if character == "\\" {
            isEscaped = true
        } else if character == "\"" {
            return value
        } else {
            value.append(character)
        }
    }
    return nil
}
