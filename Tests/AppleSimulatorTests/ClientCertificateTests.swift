import AppleSimulator
import Clocks
import Merchants
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

    @Test(arguments: versions)
    func `a faulty identity is refused`(version: String) throws {
        let bench = try SimulatorBench()
        for (fault, alert) in [
            (CertificateFlaw.expired, "45"), (.notYetValid, "42"), (.unknownIssuer, "48"),
            (.otherChain, "48"), (.missingMarker, "46"), (.missingClientAuth, "43"),
            (.criticalExtension, "46"),
        ] {
            let refused = try bench.sClient(try bench.client(faults: [fault]), [version])
            #expect(
                refused.errorText.contains("SSL alert number \(alert)"),
                "\(fault): \(refused.errorText)")
        }
    }

    @Test func `an identity whose merchant is in doubt gets no session`() throws {
        let bench = try SimulatorBench()
        for (fault, status) in [
            (CertificateFlaw.wrongHash, 401), (.missingHash, 401), (.otherMerchant, 417),
        ] {
            #expect(try bench.ask(try bench.client(faults: [fault])).status == status)
        }
        // What has been seen of Apple's is no fault.
        for variant in [CertificateFlaw.lowerCaseHash, .oldName] {
            #expect(try bench.ask(try bench.client(faults: [variant])).status == 200)
        }
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
        let done = try bench.keptConnection(
            client,
            """
            print(ask())
            web = http.client.HTTPSConnection("localhost", int(portal), context=context)
            web.request("POST", "/revoke?serial=\(client.serialNumber)")
            print(web.getresponse().status)
            print(ask())
            """)
        #expect(done.text == "200\n200\n401\n", "\(done.errorText)")
        let records = bench.simulator.log.records
        #expect(records.map(\.status) == [200, 401])
        #expect(records.map(\.connection) == [1, 1])
        #expect(try bench.sClient(client).errorText.contains("SSL alert number 44"))
    }
}
