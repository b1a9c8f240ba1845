import PKI
import Secrets
import TestSupport
import Testing

@Suite struct CertificateSigningRequestTests {
    let subject = DistinguishedName(
        userID: "merchant.com.example.shop", commonName: "Shöp, \"Ltd\"", organization: "Example")

    @Test(arguments: [KeyAlgorithm.rsa2048, .ecP256])
    func `openssl verifies a request and reads its subject`(_ algorithm: KeyAlgorithm) throws {
        let key = try PrivateKey.generate(algorithm)
        let request = try CertificateSigningRequest.make(subject: subject, key: key)
        let shown = try ForeignProcess.run(
            "openssl",
            ["req", "-verify", "-noout", "-text", "-nameopt", "RFC2253,utf8,-esc_msb"],
            input: Array(request.pem.utf8))
        #expect(shown.status == 0)
        #expect((shown.text + shown.errorText).contains("verify OK"))
        #expect(
            shown.text.contains(
                "Subject: O=Example,CN=Shöp\\, \\\"Ltd\\\",UID=merchant.com.example.shop"))
        #expect(
            request.subject.rfc4514
                == "O=Example,CN=Shöp\\, \\\"Ltd\\\",UID=merchant.com.example.shop")
        #expect(request.publicKey == key.publicKey)
        #expect(request.verifySignature())
        #expect(
            request.signatureAlgorithm
                == (algorithm == .rsa2048 ? "sha256WithRSAEncryption" : "ecdsa-with-SHA256"))
    }

    @Test func `a request is read from PEM and DER, ours and openssl's`() throws {
        let key = try PrivateKey.generate(.ecP256)
        let request = try CertificateSigningRequest.make(subject: subject, key: key)
        let again = try CertificateSigningRequest(pem: Array(request.pem.utf8))
        #expect(again.der == request.der)
        #expect(again.subject == request.subject)
        let foreign = try ForeignProcess.run(
            "openssl",
            [
                "req", "-new", "-newkey", "rsa:2048", "-nodes", "-keyout", "/dev/null", "-subj",
                "/CN=x",
            ])
        let read = try CertificateSigningRequest(pem: foreign.output)
        #expect(read.publicKey.algorithm == .rsa2048)
        #expect(read.subject == DistinguishedName(commonName: "x"))
        #expect(read.verifySignature())
    }

    @Test func `a request whose key was exchanged does not verify`() throws {
        let (one, other) = try (PrivateKey.generate(.ecP256), PrivateKey.generate(.ecP256))
        let request = try CertificateSigningRequest.make(subject: subject, key: one)
        let point = one.publicKey.subjectPublicKeyInfo
        var der = request.der
        let start = try #require(
            der.indices.first { der[$0...].starts(with: point) })
        der.replaceSubrange(
            start..<(start + point.count), with: other.publicKey.subjectPublicKeyInfo)
        let changed = try CertificateSigningRequest(der: der)
        #expect(changed.publicKey == other.publicKey)
        #expect(!changed.verifySignature())
    }

    @Test func `damaged requests are refused`() throws {
        let key = try PrivateKey.generate(.ecP256)
        let request = try CertificateSigningRequest.make(subject: subject, key: key)
        #expect(throws: PKIError.trailingBytes(after: "request")) {
            try CertificateSigningRequest(der: request.der + [0x0A])
        }
        for bytes in [[], [0x30], [0x30, 0x00], Array(request.der.dropLast())] {
            let error = #expect(throws: PKIError.self) {
                try CertificateSigningRequest(der: bytes)
            }
            #expect(error?.code == "pki.not-a-request")
        }
        #expect(throws: PKIError.malformedPEM("it has no request")) {
            try CertificateSigningRequest(pem: [])
        }
        #expect(throws: PKIError.malformedPEM("it has more than one request")) {
            try CertificateSigningRequest(pem: Array((request.pem + request.pem).utf8))
        }
    }

    @Test(arguments: ["", "a\nb", "a\u{0}", String(repeating: "x", count: 1025)])
    func `a subject that cannot be encoded is refused`(_ text: String) throws {
        let key = try PrivateKey.generate(.ecP256)
        let error = #expect(throws: PKIError.self) {
            try CertificateSigningRequest.make(subject: .init(commonName: text), key: key)
        }
        #expect(error?.code == "pki.malformed-name")
    }
}
