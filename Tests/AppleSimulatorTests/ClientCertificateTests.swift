import AppleSimulator
import PKI
import TestSupport
import Testing

/// What a client's certificate meets in the handshake, seen by `openssl s_client`.
@Suite struct ClientCertificateTests {
    private static let versions = ["-tls1_2", "-tls1_3"]

    @Test func `without a certificate TLS 1.3 fails late and TLS 1.2 at once`() throws {
        let bench = try SimulatorBench()
        let late = try bench.sClient(nil, ["-tls1_3"])
        #expect(late.errorText.contains("SSL alert number 116"))
        // The client had finished its side by then.
        #expect(late.text.contains("Cipher is TLS_"))
        let early = try bench.sClient(nil, ["-tls1_2"])
        #expect(early.errorText.contains("SSL alert number 40"))
    }

    @Test(arguments: versions)
    func `a certificate out of date is refused with alert 45`(version: String) throws {
        let bench = try SimulatorBench()
        let client = try bench.client()
        #expect(try bench.sClient(client, [version]).text.contains("HTTP/1.1 200 OK"))
        bench.clock.advance(days: 761)
        let refused = try bench.sClient(client, [version])
        #expect(refused.errorText.contains("SSL alert number 45"), "\(refused.errorText)")
        let record = try #require(bench.simulator.log.records.last)
        #expect(record.event == .handshakeFailed)
        #expect(record.clientUID == SimulatorBench.shop)
        #expect(record.reason?.contains("certificate has expired") == true)
    }

    @Test(
        arguments: [
            (CertificateFault.expired, "45"), (.notYetValid, "42"), (.unknownIssuer, "48"),
            (.otherChain, "48"), (.missingMarker, "46"), (.missingClientAuth, "43"),
            (.criticalExtension, "46"),
        ], versions)
    func `a faulty identity is refused`(
        fault: (CertificateFault, String), version: String
    ) throws {
        let bench = try SimulatorBench()
        let refused = try bench.sClient(try bench.client(faults: [fault.0]), [version])
        #expect(
            refused.errorText.contains("SSL alert number \(fault.1)"),
            "\(fault.0): \(refused.errorText)")
    }

    @Test(arguments: [
        CertificateFault.wrongHash, .missingHash, .otherMerchant,
    ])
    func `an identity whose merchant is in doubt gets no session`(fault: CertificateFault) throws {
        let bench = try SimulatorBench()
        let answer = try bench.ask(try bench.client(faults: [fault]))
        #expect(answer.status == (fault == .otherMerchant ? 417 : 401))
    }

    @Test(arguments: [CertificateFault.lowerCaseHash, .oldName])
    func `what has been seen of Apple's is no fault`(fault: CertificateFault) throws {
        let bench = try SimulatorBench()
        #expect(try bench.ask(try bench.client(faults: [fault])).status == 200)
    }

    @Test func `a processing certificate is no identity`() throws {
        let bench = try SimulatorBench()
        let key = try TestPKI.sharedKey(.rsa2048)
        let certificate = try Certificate(
            der: bench.simulator.portal.sign(
                csr: try SimulatorBench.csr(key), merchant: SimulatorBench.shop,
                kind: .paymentProcessingRSA))
        let refused = try bench.sClient(try bench.client(certificate, key))
        #expect(refused.errorText.contains("SSL alert number 48"))
    }

    @Test func `a revoked identity is refused, on a kept connection too`() throws {
        let bench = try SimulatorBench()
        let client = try bench.client()
        let url = bench.simulator.gatewayURL + "/paymentservices/paymentSession"
        // One curl, one connection, a second request after the first second.
        bench.simulator.rudeness.latencyMilliseconds = 600
        let running = try BackgroundProcess(
            "curl",
            ["-sS", "--noproxy", "*", "--cacert", bench.folder.file("gateway-ca.pem")]
                + client.curlArguments + ["-d", SimulatorBench.body(), url, url],
            in: bench.folder.path)
        while bench.simulator.log.records.isEmpty { _ = running.pid }
        try bench.simulator.portal.revoke(serialNumber: client.serialNumber)
        while bench.simulator.log.records.count < 2 { _ = running.pid }
        let records = bench.simulator.log.records
        #expect(records.map(\.status) == [200, 401])
        #expect(records.map(\.connection) == [1, 1])
        #expect(try bench.sClient(client).errorText.contains("SSL alert number 44"))
    }
}
