import AppleSimulator
import Clocks
import Merchants
import PKI
import TestSupport
import Testing

/// The certificates of the portal, as `openssl` sees them.
@Suite struct MintedCertificateTests {
    private func issue(
        _ bench: SimulatorBench, _ kind: CredentialKind, merchant: String = SimulatorBench.shop
    ) throws -> String {
        let key = try TestPKI.sharedKey(kind.requiredKey == .rsa2048 ? .rsa2048 : .ecP256)
        let der = try bench.simulator.portal.sign(
            csr: try SimulatorBench.csr(key), merchant: merchant, kind: kind)
        return bench.folder.write("\(kind.rawValue).cer", der)
    }

    private func text(_ path: String) throws -> String {
        try ForeignProcess.run(
            "openssl",
            [
                "x509", "-inform", "DER", "-in", path, "-noout", "-text", "-nameopt",
                "RFC2253,sep_comma_plus_space",
            ]
        ).text
    }

    @Test func `an identity has Apple's shape and chain`() throws {
        let bench = try SimulatorBench()
        let path = try issue(bench, .merchantIdentity)
        let text = try text(path)
        let hash = Hexadecimal.uppercase(SHA256.hash(Array(SimulatorBench.shop.utf8)))
        #expect(text.contains("UID=merchant.com.example.shop"))
        #expect(text.contains("CN=Apple Pay Merchant Identity:merchant.com.example.shop"))
        #expect(text.contains("OU=SIMULATOR1"))
        #expect(text.contains("Simulator (not Apple)"))
        #expect(!text.contains("Subject: C="))
        #expect(text.contains("Public-Key: (2048 bit)"))
        #expect(text.contains("Key Usage: critical\n                Digital Signature\n"))
        #expect(text.contains("TLS Web Client Authentication"))
        #expect(text.contains("1.2.840.113635.100.6.46: \n                .."))
        #expect(text.contains(".@\(hash)"))
        let certificate = try Certificate(der: bench.folder.read("merchant-identity.cer"))
        #expect(certificate.extensionValue("1.2.840.113635.100.6.46") == [0x05, 0x00])
        #expect(
            certificate.extensionValue("1.2.840.113635.100.6.32")
                == [0x0C, 0x40] + Array(hash.utf8))
        #expect(certificate.notAfter.days(since: certificate.notBefore) == 760)
        try verify(bench, path, "identity", purpose: "sslclient")
    }

    @Test(arguments: [CredentialKind.paymentProcessing, .paymentProcessingRSA])
    func `a processing certificate has Apple's shape and chain`(kind: CredentialKind) throws {
        let bench = try SimulatorBench()
        let path = try issue(bench, kind)
        let text = try text(path)
        #expect(text.contains("CN=Apple Pay Payment Processing:merchant.com.example.shop"))
        #expect(text.contains("C=US"))
        #expect(
            text.contains("Key Usage: critical\n                Key Encipherment, Key Agreement"))
        #expect(!text.contains("Extended Key Usage"))
        #expect(!text.contains("1.2.840.113635.100.6.46"))
        #expect(text.contains("1.2.840.113635.100.6.32"))
        #expect(
            text.contains(
                kind == .paymentProcessing ? "NIST CURVE: P-256" : "Public-Key: (2048 bit)"))
        #expect(text.contains("ecdsa-with-SHA256"))
        try verify(bench, path, "processing", purpose: "any")
    }

    @Test func `a common name may exceed 64 characters, and the OCSP responder is named`() throws {
        let bench = try SimulatorBench { $0.ocspURL = "http://ocsp.example.com/wwdr" }
        let long = "merchant.com.example." + String(repeating: "a", count: 60)
        try bench.simulator.portal.register(long, domains: [], team: "OTHERTEAM1")
        let text = try text(try issue(bench, .merchantIdentity, merchant: long))
        #expect(text.contains("CN=Apple Pay Merchant Identity:\(long)"))
        #expect(text.contains("OU=OTHERTEAM1"))
        #expect(text.contains("OCSP - URI:http://ocsp.example.com/wwdr"))
    }

    @Test(
        arguments: [
            ("identity-root", "sha256WithRSAEncryption", nil), ("processing-root", "ecdsa", nil),
            ("identity-intermediate", "sha256WithRSAEncryption", "1.2.840.113635.100.6.2.1"),
            ("processing-intermediate", "ecdsa", "1.2.840.113635.100.6.2.15"),
        ] as [(String, String, String?)])
    func `authorities say that they are not Apple's`(
        name: String, algorithm: String, marker: String?
    ) throws {
        let bench = try SimulatorBench()
        let shown = try ForeignProcess.run(
            "openssl", ["x509", "-in", bench.folder.file("\(name).pem"), "-noout", "-text"])
        #expect(shown.text.contains("Simulator (not Apple)"))
        #expect(shown.text.contains(algorithm))
        #expect(shown.text.contains("CA:TRUE"))
        #expect(!shown.text.contains("O = Apple Inc"))
        if let marker { #expect(shown.text.contains(marker)) }
    }

    private func verify(
        _ bench: SimulatorBench, _ path: String, _ chain: String, purpose: String
    ) throws {
        let pem = bench.folder.file("leaf.pem")
        _ = try ForeignProcess.run(
            "openssl", ["x509", "-inform", "DER", "-in", path, "-out", pem])
        let done = try ForeignProcess.run(
            "openssl",
            [
                "verify", "-x509_strict", "-purpose", purpose, "-CAfile",
                bench.folder.file("\(chain)-root.pem"), "-untrusted",
                bench.folder.file("\(chain)-intermediate.pem"), pem,
            ])
        #expect(done.status == 0, "\(done.errorText)")
    }
}
