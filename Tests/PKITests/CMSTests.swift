import Clocks
import PKI
import TestSupport
import Testing

@Suite struct CMSTests {
    let pki: TestPKI
    let folder = TemporaryFolder()
    let content = Array("{\"a\":1}\r\nline\n".utf8)

    init() throws {
        pki = try TestPKI(now: TestTimes.now)
    }

    private func signer() throws -> (Certificate, PrivateKey) {
        let key = try TestPKI.sharedKey(.ecP256)
        return (try pki.processing(merchant: "merchant.a", key: key.publicKey), key)
    }

    private func signed(_ content: [UInt8], at moment: Timestamp) throws -> [UInt8] {
        let (certificate, key) = try signer()
        return try CMS.signDetached(
            content: content, certificate: certificate,
            chain: [pki.processingIntermediate.certificate], key: key, at: moment)
    }

    @Test(arguments: ["2026-03-01T08:00:00Z", "2051-01-01T00:00:00Z"])
    func `a signature tells who signed and when`(_ time: String) throws {
        let moment = try #require(Timestamp(rfc3339: time))
        let message = try signed(content, at: moment)
        let result = try CMS.verifyDetached(message, content: content)
        let (certificate, _) = try signer()
        #expect(result.signer.publicKey == certificate.publicKey)
        #expect(result.signingTime == moment)
        #expect(result.certificates.count == 2)
        #expect(
            pki.trust.verify(result.signer, intermediates: result.certificates, at: pki.now)
                .isVerified)
    }

    @Test func `openssl verifies a signature over the bytes as they are`() throws {
        let message = try signed(content, at: pki.now)
        let verified = try ForeignProcess.run(
            "openssl",
            [
                "cms", "-verify", "-binary", "-inform", "DER", "-in",
                folder.write("message", message), "-content", folder.write("content", content),
                "-CAfile", folder.write("root", Array(pki.processingRoot.certificate.pem.utf8)),
                "-purpose", "any", "-attime", "\(pki.now.seconds)",
            ])
        #expect(verified.status == 0, "\(verified.errorText)")
        #expect(verified.output == content)
        let shown = try ForeignProcess.run(
            "openssl", ["cms", "-cmsout", "-print", "-inform", "DER"], input: message)
        #expect(shown.text.contains("signingTime"))
        #expect(shown.text.contains("Mar  1 08:00:00 2026 GMT"))
        #expect(shown.text.contains("sha256"))
        #expect(shown.text.contains("eContent: <ABSENT>"))
    }

    @Test func `openssl's signature verifies, in DER and in BER`() throws {
        let (certificate, key) = try signer()
        let pem = try Array(certificate.pem.utf8) + key.pkcs8PEM().revealed
        let message = try ForeignProcess.run(
            "openssl",
            [
                "cms", "-sign", "-binary", "-outform", "DER", "-md", "sha256", "-signer",
                folder.write("signer.pem", pem),
            ], input: content)
        try #require(message.status == 0, "\(message.errorText)")
        #expect(try CMS.verifyDetached(message.output, content: content).signer == certificate)
        // Apple's form: the outer lengths are indefinite.
        var outer = DERReader(message.output)
        var parts = DERReader(try outer.next().content)
        let type = try parts.next()
        var body = DERReader(try parts.next().content)
        let fields = Array(try body.next().content)
        let indefinite =
            [0x30, 0x80] + Array(type.encoded) + [0xA0, 0x80, 0x30, 0x80] + fields
            + [UInt8](repeating: 0, count: 6)
        #expect(try CMS.verifyDetached(indefinite, content: content).signer == certificate)
    }

    @Test func `other content, no signature and content inside are refused`() throws {
        let message = try signed(content, at: pki.now)
        for other in [content + [0], Array(content.dropLast()), []] {
            let error = #expect(throws: PKIError.self) {
                try CMS.verifyDetached(message, content: other)
            }
            #expect(error?.code == "pki.signature-invalid")
        }
        let (certificate, key) = try signer()
        let pem = try Array(certificate.pem.utf8) + key.pkcs8PEM().revealed
        let attached = try ForeignProcess.run(
            "openssl",
            [
                "cms", "-sign", "-nodetach", "-binary", "-outform", "DER", "-signer",
                folder.write("signer.pem", pem),
            ], input: content)
        let data = try ForeignProcess.run(
            "openssl", ["cms", "-data_create", "-outform", "DER"], input: content)
        for bytes in [attached.output, data.output, [], [0x30, 0x00], certificate.der] {
            let error = #expect(throws: PKIError.self) {
                try CMS.verifyDetached(bytes, content: content)
            }
            #expect(error?.code == "pki.malformed-message")
        }
        #expect(throws: PKIError.trailingBytes(after: "message")) {
            try CMS.verifyDetached(message + [0], content: content)
        }
    }

    @Test func `empty content can be signed`() throws {
        let message = try signed([], at: pki.now)
        #expect(try CMS.verifyDetached(message, content: []).signingTime == pki.now)
    }

    @Test func `a key that is not the certificate's does not sign`() throws {
        let (certificate, _) = try signer()
        #expect(throws: PKIError.keyDoesNotFit) {
            try CMS.signDetached(
                content: content, certificate: certificate, chain: [],
                key: TestPKI.sharedKey(.rsa2048), at: pki.now)
        }
    }
}
