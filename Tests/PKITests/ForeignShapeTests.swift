import PKI
import Secrets
import TestSupport
import Testing

@Suite struct ForeignShapeTests {
    let pki: TestPKI
    let key: PrivateKey
    let folder = TemporaryFolder()

    init() throws {
        pki = try TestPKI(now: TestTimes.now)
        key = try TestPKI.sharedKey(.ecP256)
    }

    private func openssl(_ arguments: [String], input: [UInt8] = []) throws -> [UInt8] {
        let result = try ForeignProcess.run("openssl", arguments, input: input)
        try #require(result.status == 0, "\(result.errorText)")
        return result.output
    }

    @Test func `DER is told by its structure`() throws {
        let leaf = try pki.processing(merchant: "merchant.a", key: key.publicKey)
        let request = try CertificateSigningRequest.make(
            subject: .init(commonName: "x"), key: key)
        let empty = try CertificateSigningRequest.make(subject: .init([]), key: key)
        #expect(ForeignShape.recognise(leaf.der) == .certificate)
        #expect(ForeignShape.recognise(leaf.der + [0x0A]) == .certificate)
        #expect(ForeignShape.recognise(request.der) == .request)
        #expect(ForeignShape.recognise(empty.der) == .request)
        #expect(ForeignShape.recognise(key.publicKey.subjectPublicKeyInfo) == .publicKey)
        let pem = try key.pkcs8PEM().revealed
        let rsa = try openssl(["genrsa", "-traditional", "2048"])
        #expect(
            ForeignShape.recognise(
                try openssl(["rsa", "-traditional", "-outform", "DER"], input: rsa))
                == .privateKey(encrypted: false))
        #expect(
            ForeignShape.recognise(try openssl(["ec", "-outform", "DER"], input: pem))
                == .privateKey(encrypted: false))
        #expect(
            ForeignShape.recognise(try key.pkcs8DER().revealed) == .privateKey(encrypted: false))
        #expect(
            ForeignShape.recognise(
                try openssl(
                    ["pkcs8", "-topk8", "-outform", "DER", "-passout", "pass:x"], input: pem))
                == .privateKey(encrypted: true))
    }

    @Test func `a certificate of version 1 is one`() throws {
        let path = folder.write("key.pem", try key.pkcs8PEM().revealed)
        let request = try openssl(["req", "-new", "-key", path, "-subj", "/CN=old"])
        let der = try openssl(
            ["x509", "-req", "-signkey", path, "-outform", "DER"], input: request)
        #expect(try Certificate(der: der).extensions.isEmpty)
        #expect(ForeignShape.recognise(der) == .certificate)
    }

    @Test func `containers are told by their first bytes`() throws {
        let password = SecretBytes(copying: "x".utf8)
        let bundle = try PKCS12.make(key: key, certificate: nil, password: password)
        #expect(ForeignShape.recognise(bundle) == .pkcs12)
        let certificates = folder.write("c.pem", Array(pki.identityRoot.certificate.pem.utf8))
        let pkcs7 = try openssl(
            ["crl2pkcs7", "-nocrl", "-certfile", certificates, "-outform", "DER"])
        #expect(ForeignShape.recognise(pkcs7) == .pkcs7)
        // BER with an indefinite length, as Apple and old tools write it.
        let type = try #require(DER.objectIdentifier("1.2.840.113549.1.7.2"))
        let indefinite = [0x30, 0x80] + type
        #expect(ForeignShape.recognise(indefinite + [0xA0, 0x80, 0, 0, 0, 0]) == .pkcs7)
        #expect(
            ForeignShape.recognise([0xFE, 0xED, 0xFE, 0xED, 0, 0, 0, 2]) == .javaKeystore)
        #expect(
            ForeignShape.recognise([0xCE, 0xCE, 0xCE, 0xCE, 0, 0, 0, 2]) == .javaKeystore)
        #expect(ForeignShape.recognise([0x99, 0x01, 0x0D, 0x04, 0x5F]) == .pgp)
    }

    @Test func `a cut-off DER file is its own case`() throws {
        let der = pki.identityRoot.certificate.der
        #expect(
            ForeignShape.recognise(Array(der.prefix(100)))
                == .truncatedDER(missing: der.count - 100))
        #expect(ForeignShape.recognise(Array(der.dropLast())) == .truncatedDER(missing: 1))
        // A length beyond reason is chance.
        #expect(ForeignShape.recognise([0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF, 0x00]) == .unknown)
    }

    @Test func `PEM is told by its labels`() throws {
        let leaf = pki.identityRoot.certificate.pem
        #expect(
            ForeignShape.recognise(Array((leaf + "text\n" + leaf).utf8))
                == .pem(labels: ["CERTIFICATE", "CERTIFICATE"]))
        #expect(
            ForeignShape.recognise(try key.pkcs8PEM().revealed) == .pem(labels: ["PRIVATE KEY"]))
        let encrypted = try openssl(
            ["ec", "-aes256", "-passout", "pass:x"], input: key.pkcs8PEM().revealed)
        #expect(ForeignShape.recognise(encrypted) == .pem(labels: ["ENCRYPTED PRIVATE KEY"]))
        #expect(
            ForeignShape.recognise(Array(leaf.dropLast(30).utf8))
                == .damagedPEM(what: "a block has no end; the text was cut off"))
        #expect(
            ForeignShape.recognise(Array(("\u{FEFF}" + leaf).utf8))
                == .pem(labels: ["CERTIFICATE"]))
    }

    @Test(arguments: [
        ("", ForeignShape.empty), ("hello", .text), ("0123456789", .text), ("\n\n", .text),
        ("<!DOCTYPE html>\n<p>Sign in", .html), ("  \n<html lang=en>", .html), ("<a>1</a>", .text),
        ("-----BEGIN PGP PUBLIC KEY BLOCK-----\nZm9v\n", .pgp),
        (
            "-----BEGIN OPENSSH PRIVATE KEY-----\nZm9v\n-----END OPENSSH PRIVATE KEY-----",
            .openSSHKey
        ),
        ("ssh-ed25519 AAAA me@host", .openSSHKey), ("ecdsa-sha2-nistp256 AAAA", .openSSHKey),
        ("a\u{0}b", .unknown), ("{\"errors\":[]}", .text),
    ])
    func `other text is told by its start`(_ text: String, _ shape: ForeignShape) {
        #expect(ForeignShape.recognise(Array(text.utf8)) == shape)
    }

    @Test(arguments: [
        [0x30], [0x30, 0x00], [0x00], [0xFF], [0x30, 0x80], [0x30, 0x02, 0x30, 0x00],
    ])
    func `odd bytes are no trouble`(_ bytes: [UInt8]) {
        _ = ForeignShape.recognise(bytes).description
    }

    @Test(.enabled(if: OutsideVectors.arePresent, "needs ../shared/vectors"))
    func `other programs' PKCS#12 files are told`() {
        let names = OutsideVectors.names(in: "p12").filter { !$0.hasSuffix(".md") }
        #expect(!names.isEmpty)
        for name in names {
            // One is garbage on purpose: its version is 123456789.
            let expected: ForeignShape = name == "garbage-pkcs12.p12" ? .unknown : .pkcs12
            #expect(
                ForeignShape.recognise(OutsideVectors.read("p12/\(name)")) == expected, "\(name)")
        }
    }

    @Test func `descriptions follow the words "this is"`() {
        #expect("\(ForeignShape.pkcs12)" == "a PKCS#12 file (.p12, .pfx)")
        #expect(
            "\(ForeignShape.pem(labels: ["A\u{7}B", "C", "D", "E"]))"
                == "a PEM file with AB, C, D and 1 more")
    }
}
