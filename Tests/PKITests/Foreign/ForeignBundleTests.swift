import PKI
import Secrets
import TestSupport
import Testing

/// Bundles made at test time by programs that people use.
@Suite struct ForeignBundleTests {
    let folder = TemporaryFolder()
    let pki: TestPKI
    let key: PrivateKey
    let leaf: Certificate

    init() throws {
        pki = try TestPKI(now: TestTimes.now)
        key = try TestPKI.sharedKey(.rsa2048)
        leaf = try pki.identity(merchant: "merchant.a", key: key.publicKey)
    }

    private func run(
        _ program: String, _ arguments: [String], input: [UInt8] = []
    ) throws -> [UInt8] {
        let result = try ForeignProcess.run(program, arguments, input: input)
        try #require(result.status == 0, "\(result.errorText)\(result.text)")
        return result.output
    }

    private var pem: [UInt8] {
        get throws {
            try Array((leaf.pem + pki.identityIntermediate.certificate.pem).utf8)
                + key.pkcs8PEM().revealed
        }
    }

    private func read(_ bytes: [UInt8], _ password: String?) throws -> ForeignContents {
        try ForeignReader(passwords: password.map { [SecretBytes(copying: $0.utf8)] } ?? [])
            .read(SecretBytes(copying: bytes))
    }

    private func check(_ contents: ForeignContents) {
        #expect(contents.keys.map(\.value.publicKey) == [key.publicKey])
        #expect(
            Set(contents.certificates.map(\.value))
                == [leaf, pki.identityIntermediate.certificate])
    }

    private func export(_ options: [String], password: [UInt8]) throws -> [UInt8] {
        try run(
            "openssl",
            [
                "pkcs12", "-export", "-name", "Shop 1", "-in", folder.write("in.pem", pem),
                "-passout", "file:" + folder.write("password", password),
            ] + options)
    }

    @Test(arguments: [
        [], ["-legacy"], ["-legacy", "-keypbe", "PBE-SHA1-RC4-128", "-certpbe", "PBE-SHA1-RC4-40"],
        ["-legacy", "-keypbe", "PBE-SHA1-RC2-128", "-certpbe", "PBE-SHA1-RC2-128"],
        ["-legacy", "-keypbe", "PBE-MD5-DES", "-certpbe", "PBE-SHA1-DES"],
        ["-legacy", "-keypbe", "DES-CBC", "-certpbe", "RC2-CBC"],
        ["-keypbe", "NONE", "-certpbe", "NONE"], ["-nomac"],
        ["-keypbe", "camellia-256-cbc", "-certpbe", "aria-256-cbc"], ["-macalg", "sha512"],
    ])
    func `every encryption that OpenSSL has opens`(_ options: [String]) throws {
        for password in ["secret", "Grüße", ""] {
            let file = try export(options, password: Array((password + "\n").utf8))
            let contents = try read(file, password)
            check(contents)
            #expect(contents.keys.first?.name == "Shop 1")
            #expect(contents.keys.first?.place == "bag 3 of the PKCS#12 file")
            #expect(
                contents.warnings.contains { $0.contains("no code") }
                    == options.contains("-nomac"))
            #expect(!contents.protections.isEmpty)
        }
    }

    @Test func `without a code nobody says that a password is wrong`() throws {
        let file = try export(["-nomac"], password: Array("secret".utf8))
        #expect(throws: PKIError.cannotDecrypt("PKCS#12 file")) { try read(file, "other") }
        #expect(throws: PKIError.passwordNeeded("PKCS#12 file")) { try read(file, nil) }
        let sealed = try export([], password: Array("secret".utf8))
        #expect(throws: PKIError.wrongPassword) { try read(sealed, "other") }
        #expect(throws: PKIError.passwordNeeded("PKCS#12 file")) { try read(sealed, nil) }
        // How it is encrypted is told even so.
        let survey = ForeignReader().survey(SecretBytes(copying: sealed))
        #expect(survey.protections.count == 2)
    }

    @Test func `a Latin-1 password opens in either spelling`() throws {
        let latin: [UInt8] = [0x47, 0x72, 0xFC, 0xDF, 0x65]
        for options in [[], ["-legacy"]] {
            check(try read(export(options, password: latin), "Grüße"))
            let file = try export(options, password: Array("Grüße".utf8))
            check(
                try ForeignReader(passwords: [SecretBytes(copying: latin)])
                    .read(SecretBytes(copying: file)))
        }
    }

    @Test func `a bundle in PEM, in base64 and in UTF-16 opens`() throws {
        let file = try export([], password: Array("secret".utf8))
        let base64 = Base64.encode(file)
        check(try read(Array(base64.utf8), "secret"))
        let contents = try read(
            Array("-----BEGIN PKCS12-----\n\(base64)\n-----END PKCS12-----\n".utf8), "secret")
        check(contents)
        #expect(contents.keys.first?.place == "bag 3 of the PKCS#12 file")
        check(try read(base64.utf16.flatMap { [UInt8($0 & 0xFF), 0] }, "secret"))
    }

    @Test func `PKCS#7 gives its certificates`() throws {
        let path = folder.write("in.pem", try pem)
        for form in ["PEM", "DER"] {
            let file = try run(
                "openssl", ["crl2pkcs7", "-nocrl", "-certfile", path, "-outform", form])
            let contents = try read(file, nil)
            #expect(contents.certificates.count == 2)
            #expect(
                contents.certificates.first?.place == "certificate 1 of the PKCS#7 file")
        }
        let encrypted = try run(
            "openssl",
            [
                "smime", "-encrypt", "-outform", "DER",
                folder.write("leaf.pem", Array(leaf.pem.utf8)),
            ],
            input: Array("x".utf8))
        let error = #expect(throws: PKIError.self) { try read(encrypted, nil) }
        #expect(error?.code == "pki.unsupported-bundle")
    }

    @Test func `Java's keystores open`() throws {
        guard (try? ForeignProcess.run("keytool", ["-help"])) != nil else { return }
        let source = folder.write("a.p12", try export([], password: Array("secret1".utf8)))
        let target = folder.path + "/java.p12"
        let password = folder.write("jp", Array("secret1".utf8))
        _ = try run(
            "keytool",
            [
                "-importkeystore", "-noprompt", "-srckeystore", source, "-srcstoretype", "PKCS12",
                "-srcstorepass:file", password, "-destkeystore", target, "-deststoretype",
                "PKCS12", "-deststorepass:file", password,
            ])
        let contents = try read(run("cat", [target]), "secret1")
        check(contents)
        let jks = folder.path + "/java.jks"
        _ = try run(
            "keytool",
            [
                "-importkeystore", "-noprompt", "-srckeystore", source, "-srcstoretype", "PKCS12",
                "-srcstorepass:file", password, "-destkeystore", jks, "-deststoretype", "JKS",
                "-deststorepass:file", password,
            ])
        let error = #expect(throws: PKIError.self) { try read(run("cat", [jks]), "secret1") }
        #expect(error?.code == "pki.java-keystore")
    }

    @Test func `Python's files open`() throws {
        let probe = try? ForeignProcess.run("python3", ["-c", "import cryptography"])
        guard probe?.status == 0 else { return }
        let script = """
            import sys
            from cryptography.hazmat.primitives.serialization import *
            from cryptography.hazmat.primitives.serialization.pkcs12 import *
            from cryptography.hazmat.primitives import hashes
            from cryptography import x509
            pem = open(sys.argv[1], 'rb').read()
            key = load_pem_private_key(pem, None)
            certs = x509.load_pem_x509_certificates(pem)
            how = {
              'best': BestAvailableEncryption(b'secret'), 'none': NoEncryption(),
              'aes': PrivateFormat.PKCS12.encryption_builder().kdf_rounds(3000)
                .key_cert_algorithm(PBES.PBESv2SHA256AndAES256CBC)
                .hmac_hash(hashes.SHA256()).build(b'secret'),
              'des': PrivateFormat.PKCS12.encryption_builder()
                .key_cert_algorithm(PBES.PBESv1SHA1And3KeyTripleDESCBC)
                .hmac_hash(hashes.SHA1()).build(b'secret'),
            }[sys.argv[2]]
            sys.stdout.buffer.write(
              serialize_key_and_certificates('Käse'.encode(), key, certs[0], certs[1:], how))
            """
        let path = folder.write("in.pem", try pem)
        for how in ["best", "none", "aes", "des"] {
            let file = try run("python3", ["-c", script, path, how])
            let contents = try read(file, how == "none" ? nil : "secret")
            check(contents)
            #expect(contents.keys.first?.name == "Käse")
        }
    }

    @Test func `absurd work is refused before any of it`() throws {
        var file = try export(["-iter", "300000"], password: Array("secret".utf8))
        // The last INTEGER of the file is the code's count; made 8,360,928.
        try #require(Array(file.suffix(5)) == [0x02, 0x03, 0x04, 0x93, 0xE0])
        file[file.count - 3] = 0x7F
        let contents = ForeignReader(passwords: [SecretBytes(copying: "secret".utf8)])
            .survey(SecretBytes(copying: file))
        #expect(contents.problems.map(\.error.code) == ["pki.bundle-too-costly"])
        #expect(contents.iterationsSpent == 0)
        // All parts and all passwords together.
        let honest = try export(["-iter", "400000"], password: Array("secret".utf8))
        #expect(throws: PKIError.bundleTooCostly(iterations: 1_200_000, limit: 1_000_000)) {
            try ForeignReader(
                passwords: ["a", "b", "c"].map { SecretBytes(copying: $0.utf8) }
            ).read(SecretBytes(copying: honest))
        }
    }

    @Test func `size, nesting and number are bounded`() throws {
        let large = SecretBytes(copying: [UInt8](repeating: 0x30, count: 1_048_577))
        #expect(throws: PKIError.tooLarge("file", limit: 1_048_576)) {
            try ForeignReader().read(large)
        }
        let many = String(repeating: leaf.pem, count: 257)
        #expect(throws: PKIError.tooManyItems(limit: 256)) { try read(Array(many.utf8), nil) }
        // SEQUENCEs in one another, as deep as OpenSSL will not follow.
        var nested: [UInt8] = DER.integer(1)
        for _ in 0..<200 { nested = DER.value(tag: 0xA0, DER.sequence([nested])) }
        let type = try #require(DER.objectIdentifier("1.2.840.113549.1.7.2"))
        #expect(throws: PKIError.self) { try read(DER.sequence([type, nested]), nil) }
        // Bags in bags.
        let bagType = try #require(DER.objectIdentifier("1.2.840.113549.1.12.10.1.6"))
        var bag: [UInt8] = []
        for _ in 0..<200 {
            bag = DER.sequence([bagType, DER.value(tag: 0xA0, DER.sequence([bag]))])
        }
        let data = try #require(DER.objectIdentifier("1.2.840.113549.1.7.1"))
        let octets = { (bytes: [UInt8]) in
            DER.sequence([data, DER.value(tag: 0xA0, DER.octetString(bytes))])
        }
        let file = DER.sequence([
            DER.integer(3), octets(DER.sequence([octets(DER.sequence([bag]))])),
        ])
        let contents = ForeignReader().survey(SecretBytes(copying: file))
        #expect(contents.isEmpty)
        #expect(contents.problems.map(\.error) == [.nestedTooDeeply(limit: 8)])
    }
}
