import Clocks
import PKI
import Secrets
import TestSupport
import Testing

enum TestTimes {
    /// 2026-03-01T08:00:00Z, the moment around which the tests' certificates are minted.
    static let now = Timestamp(seconds: 1_772_352_000)
}

@Suite struct CertificateTests {
    let pki: TestPKI
    let merchant = "merchant.com.example.shop"

    init() throws {
        pki = try TestPKI(now: TestTimes.now)
    }

    @Test func `an identity certificate tells everything Apple puts into it`() throws {
        let key = try TestPKI.sharedKey(.rsa2048)
        let leaf = try pki.identity(merchant: merchant, key: key.publicKey)
        #expect(leaf.subject.userID == merchant)
        #expect(leaf.subject.commonName == "Apple Pay Merchant Identity:\(merchant)")
        #expect(leaf.subject.organizationalUnit == "TEAM123456")
        #expect(leaf.subject.country == nil)
        #expect(leaf.keyUsage == [.digitalSignature])
        #expect(leaf.extendedKeyUsage == [OID.clientAuth])
        #expect(leaf.extensionValue(OID.appleMerchantIdentity) == [0x05, 0x00])
        let hash = Hexadecimal.uppercase(SHA256.hash(Array(merchant.utf8)))
        #expect(leaf.extensionValue(OID.appleMerchantHash) == [0x0C, 0x40] + Array(hash.utf8))
        #expect(leaf.extensionValue("1.2.3") == nil)
        #expect(leaf.ocspURLs == ["http://ocsp.test.invalid/ocsp03-wwdr"])
        #expect(leaf.publicKey == key.publicKey)
        #expect(!leaf.isCA)
        #expect(!leaf.isSelfSigned)
        #expect(leaf.signatureAlgorithm == "sha256WithRSAEncryption")
        #expect(leaf.issuer == pki.identityIntermediate.certificate.subject)
        #expect(leaf.notAfter.days(since: leaf.notBefore) == 760)
        #expect(leaf.unhandledCriticalExtensions.isEmpty)
    }

    @Test func `a processing certificate has no marker and agrees on keys`() throws {
        let key = try TestPKI.sharedKey(.ecP256)
        let leaf = try pki.processing(merchant: merchant, key: key.publicKey)
        #expect(leaf.keyUsage == [.keyEncipherment, .keyAgreement])
        #expect(leaf.extendedKeyUsage.isEmpty)
        #expect(leaf.extensionValue(OID.appleMerchantIdentity) == nil)
        #expect(leaf.subject.country == "US")
        #expect(leaf.signatureAlgorithm == "ecdsa-with-SHA256")
        #expect(pki.processingRoot.certificate.isCA)
        #expect(pki.processingRoot.certificate.isSelfSigned)
        #expect(pki.processingRoot.certificate.keyUsage == [.keyCertificateSign, .crlSign])
    }

    @Test func `openssl reads the same from a certificate`() throws {
        let key = try TestPKI.sharedKey(.rsa2048)
        let leaf = try pki.identity(merchant: merchant, key: key.publicKey)
        let shown = try ForeignProcess.run(
            "openssl",
            ["x509", "-noout", "-serial", "-fingerprint", "-sha256", "-dates", "-text"],
            input: Array(leaf.pem.utf8))
        #expect(shown.text.contains("serial=\(leaf.serialNumber)\n"))
        #expect(
            shown.text.replacing(":", with: "").lowercased()
                .contains("sha256 fingerprint=\(leaf.sha256)"))
        #expect(shown.text.contains("TLS Web Client Authentication"))
        #expect(shown.text.contains("CA:FALSE"))
        #expect(shown.text.contains("OCSP - URI:http://ocsp.test.invalid/ocsp03-wwdr"))
        #expect(shown.text.contains("URI:http://crl.test.invalid/wwdr.crl"))
        #expect(shown.text.contains("notBefore=Feb 28 08:00:00 2026 GMT"))
        #expect(shown.text.contains("1.2.840.113635.100.6.46"))
    }

    // UTCTime until 2049, GeneralizedTime from 2050 (RFC 5280 §4.1.2.5).
    @Test(arguments: [
        "1970-01-01T00:00:00Z", "1999-12-31T23:59:59Z", "2000-02-29T12:00:00Z",
        "2049-12-31T23:59:59Z", "2050-01-01T00:00:00Z", "2100-03-01T00:00:00Z",
        "9999-12-31T23:59:59Z",
    ])
    func `dates survive on both sides of 2050`(_ text: String) throws {
        let moment = try #require(Timestamp(rfc3339: text))
        let key = try TestPKI.sharedKey(.ecP256)
        let certificate = try CertificateTemplate(
            subject: .init(commonName: "dates"), publicKey: key.publicKey,
            notBefore: Timestamp(seconds: 0), notAfter: moment
        ).issue(issuer: nil, issuerKey: key)
        #expect(certificate.notBefore.seconds == 0)
        #expect(certificate.notAfter == moment)
        let isGeneralized = moment.seconds >= 2_524_608_000
        #expect(certificate.der.contains(0x18) == isGeneralized || !isGeneralized)
        #expect(certificate.isValid(at: moment))
        #expect(!certificate.isValid(at: moment.adding(seconds: 1)))
        #expect(certificate.isValid(at: Timestamp(seconds: 0)))
        #expect(!certificate.isValid(at: Timestamp(seconds: -1)))
    }

    @Test func `equality and hashing go by the encoding`() throws {
        let one = try Certificate(der: pki.identityRoot.certificate.der)
        #expect(one == pki.identityRoot.certificate)
        #expect(one !== pki.identityRoot.certificate)
        #expect(Set([one, pki.identityRoot.certificate]).count == 1)
        #expect(one != pki.processingRoot.certificate)
    }

    @Test func `PEM is read with company, but never chosen from`() throws {
        let root = pki.processingRoot.certificate
        let text = "Bag Attributes\n" + root.pem.replacing("\n", with: "\r\n")
        #expect(try Certificate(pem: Array(text.utf8)) == root)
        #expect(throws: PKIError.malformedPEM("it has more than one certificate")) {
            try Certificate(pem: Array((root.pem + root.pem).utf8))
        }
        #expect(throws: PKIError.malformedPEM("it has no certificate")) {
            try Certificate(pem: Array("hello".utf8))
        }
        let both = Array((root.pem + pki.identityRoot.certificate.pem).utf8)
        #expect(try Certificate.all(inPEM: both) == [root, pki.identityRoot.certificate])
    }

    @Test func `what is no certificate is refused`() throws {
        let der = pki.processingRoot.certificate.der
        #expect(throws: PKIError.trailingBytes(after: "certificate")) {
            try Certificate(der: der + [0x0A])
        }
        for bytes in [[], [0x30], [0x30, 0x00], Array(der.dropLast()), Array(der.dropFirst())] {
            let error = #expect(throws: PKIError.self) { try Certificate(der: bytes) }
            #expect(error?.code == "pki.not-a-certificate")
        }
        #expect(throws: PKIError.tooLarge("certificate", limit: Certificate.sizeLimit)) {
            try Certificate(der: [UInt8](repeating: 0x30, count: Certificate.sizeLimit + 1))
        }
    }

    @Test func `negative and small serial numbers print as they are`() throws {
        let key = try TestPKI.sharedKey(.ecP256)
        var template = CertificateTemplate(
            subject: .init(commonName: "number"), publicKey: key.publicKey,
            notBefore: TestTimes.now, notAfter: TestTimes.now)
        template.serialNumber = [0x0A]
        #expect(try template.issue(issuer: nil, issuerKey: key).serialNumber == "0A")
        template.serialNumber = [0x7F, 0x00, 0xFF]
        #expect(try template.issue(issuer: nil, issuerKey: key).serialNumber == "7F00FF")
        let first = CertificateTemplate.randomSerialNumber()
        #expect(first.count == 16 && first != CertificateTemplate.randomSerialNumber())
    }

    @Test func `templates that make no sense are refused`() throws {
        let key = try TestPKI.sharedKey(.ecP256)
        let template = CertificateTemplate(
            subject: .init(commonName: "x"), publicKey: key.publicKey, notBefore: TestTimes.now,
            notAfter: TestTimes.now)
        var changed = template
        changed.notAfter = TestTimes.now.adding(seconds: -1)
        #expect(throws: PKIError.self) { try changed.issue(issuer: nil, issuerKey: key) }
        changed = template
        changed.serialNumber = [0x80]
        #expect(throws: PKIError.self) { try changed.issue(issuer: nil, issuerKey: key) }
        changed = template
        changed.extendedKeyUsage = ["nonsense"]
        #expect(throws: PKIError.self) { try changed.issue(issuer: nil, issuerKey: key) }
        changed = template
        changed.extraExtensions = [.init(oid: "nonsense", value: [])]
        #expect(throws: PKIError.self) { try changed.issue(issuer: nil, issuerKey: key) }
        #expect(throws: PKIError.keyDoesNotFit) {
            try template.issue(issuer: pki.identityRoot.certificate, issuerKey: key)
        }
        #expect(throws: PKIError.keyDoesNotFit) {
            try template.issue(issuer: nil, issuerKey: TestPKI.sharedKey(.rsa2048))
        }
    }

    @Test func `a server certificate names hosts and addresses`() throws {
        let key = try TestPKI.sharedKey(.ecP256)
        let server = try pki.server(
            names: [.dns("gateway.test"), .address([127, 0, 0, 1])], key: key.publicKey)
        let shown = try ForeignProcess.run(
            "openssl", ["x509", "-noout", "-ext", "subjectAltName"],
            input: Array(server.pem.utf8))
        #expect(shown.text.contains("DNS:gateway.test, IP Address:127.0.0.1"))
    }
}
