import PKI
import Secrets
import TestSupport
import Testing

@Suite struct PKCS12Tests {
    let pki: TestPKI
    let folder = TemporaryFolder()
    let password = SecretBytes(copying: "pässword 1".utf8)

    init() throws {
        pki = try TestPKI(now: TestTimes.now)
    }

    private func identity() throws -> (PrivateKey, Certificate) {
        let key = try TestPKI.sharedKey(.rsa2048)
        return (key, try pki.identity(merchant: "merchant.a", key: key.publicKey))
    }

    /// `openssl pkcs12` over `file`, the password from a file.
    private func openssl(
        _ file: [UInt8], _ arguments: [String], password: String = "pässword 1"
    ) throws -> ForeignProcess.Result {
        try ForeignProcess.run(
            "openssl",
            [
                "pkcs12", "-in", folder.write("bundle.p12", file), "-passin",
                "file:" + folder.write("password", Array(password.utf8)),
            ] + arguments)
    }

    @Test func `openssl opens what is made, and names the algorithms`() throws {
        let (key, leaf) = try identity()
        let file = try PKCS12.make(
            key: key, certificate: leaf, chain: [pki.identityIntermediate.certificate],
            friendlyName: "shop", password: password)
        let shown = try openssl(file, ["-info", "-noout"])
        #expect(shown.status == 0, "\(shown.errorText)")
        let lines = shown.errorText.split(separator: "\n").map(String.init)
        #expect(lines.contains("MAC: sha256, Iteration 2048"))
        #expect(lines.contains("MAC length: 32, salt length: 16"))
        #expect(
            lines.contains {
                $0.hasPrefix("PKCS7 Encrypted data: PBES2, PBKDF2, AES-256-CBC, Iteration 2048")
                    && $0.hasSuffix("PRF hmacWithSHA256")
            })
        #expect(
            lines.contains {
                $0.hasPrefix("Shrouded Keybag: PBES2, PBKDF2, AES-256-CBC, Iteration 2048")
                    && $0.hasSuffix("PRF hmacWithSHA256")
            })
        let opened = try openssl(file, ["-nodes"])
        #expect(opened.text.contains("friendlyName: shop"))
        let identifier = key.publicKey.sha256.map { Hexadecimal.uppercase([$0]) }
            .joined(separator: " ")
        #expect(opened.text.components("localKeyID: \(identifier)") == 2)
        #expect(
            try Certificate.all(inPEM: opened.output)
                == [leaf, pki.identityIntermediate.certificate])
        #expect(
            try PrivateKey(pem: SecretBytes(copying: opened.output)).publicKey == key.publicKey)
    }

    @Test func `all salts have 16 bytes`() throws {
        let (key, leaf) = try identity()
        let file = try PKCS12.make(key: key, certificate: leaf, password: password)
        let salts = try PKCS12Layout.saltLengths(of: file)
        #expect(salts == [16, 16, 16])
    }

    @Test func `a legacy file has 3DES and SHA-1 throughout, and opens here too`() throws {
        let (key, leaf) = try identity()
        let file = try PKCS12.make(
            key: key, certificate: leaf, chain: [pki.identityIntermediate.certificate],
            friendlyName: "shop", password: password, encryption: .legacy)
        let shown = try openssl(file, ["-info", "-noout"])
        #expect(shown.status == 0, "\(shown.errorText)")
        let lines = shown.errorText.split(separator: "\n").map(String.init)
        #expect(lines.contains("MAC: sha1, Iteration 2048"))
        let scheme = "pbeWithSHA1And3-KeyTripleDES-CBC, Iteration 2048"
        #expect(lines.contains("PKCS7 Encrypted data: \(scheme)"))
        #expect(lines.contains("Shrouded Keybag: \(scheme)"))
        #expect(try PKCS12Layout.saltLengths(of: file) == [8, 8, 8])
        let contents = try PKCS12.open(file, password: password)
        #expect(contents.key?.publicKey == key.publicKey)
        #expect(contents.certificate == leaf)
        #expect(contents.chain == [pki.identityIntermediate.certificate])
    }

    @Test(arguments: [PKCS12.Encryption.modern, .legacy])
    func `an empty password is the empty one, not none`(encryption: PKCS12.Encryption) throws {
        let (key, leaf) = try identity()
        let empty = SecretBytes(copying: [])
        let file = try PKCS12.make(
            key: key, certificate: leaf, password: empty, encryption: encryption)
        #expect(try PKCS12.open(file, password: empty).key?.publicKey == key.publicKey)
        let folder = TemporaryFolder()
        let opened = try ForeignProcess.run(
            "openssl",
            [
                "pkcs12", "-in", folder.write("bundle.p12", file), "-nodes", "-nocerts", "-passin",
                "pass:",
            ])
        #expect(opened.status == 0, "\(opened.errorText)")
        #expect(
            try PrivateKey(pem: SecretBytes(copying: opened.output)).publicKey == key.publicKey)
    }

    @Test func `a file may hold a key alone`() throws {
        let key = try PrivateKey.generate(.ecP256)
        let file = try PKCS12.make(key: key, certificate: nil, password: password, iterations: 1)
        let shown = try openssl(file, ["-info", "-noout"])
        #expect(shown.status == 0)
        #expect(shown.errorText.contains("Iteration 1"))
        #expect(!shown.errorText.contains("Encrypted data"))
        let contents = try PKCS12.open(file, password: password)
        #expect(contents.key?.publicKey == key.publicKey)
        #expect(contents.certificate == nil)
        #expect(contents.certificates.isEmpty)
    }

    @Test func `what is made opens again`() throws {
        let (key, leaf) = try identity()
        let chain = [pki.identityIntermediate.certificate, pki.identityRoot.certificate]
        let file = try PKCS12.make(
            key: key, certificate: leaf, chain: chain, friendlyName: "Grüße 1", password: password)
        let contents = try PKCS12.open(file, password: password)
        #expect(contents.key?.publicKey == key.publicKey)
        #expect(contents.certificate == leaf)
        #expect(contents.chain == chain)
        #expect(contents.friendlyName == "Grüße 1")
    }

    @Test(arguments: [
        ["-keypbe", "AES-256-CBC", "-certpbe", "AES-128-CBC"],
        ["-keypbe", "PBE-SHA1-3DES", "-certpbe", "PBE-SHA1-3DES", "-macalg", "sha1"],
        ["-keypbe", "NONE", "-certpbe", "NONE"],
        ["-iter", "10000"],
    ])
    func `openssl's files open`(_ options: [String]) throws {
        let (key, leaf) = try identity()
        let pem =
            try Array((leaf.pem + pki.identityIntermediate.certificate.pem).utf8)
            + key.pkcs8PEM().revealed
        let made = try ForeignProcess.run(
            "openssl",
            [
                "pkcs12", "-export", "-name", "foreign", "-passout",
                "file:" + folder.write("password", Array("pässword 1".utf8)),
                "-in", folder.write("foreign.pem", pem),
            ] + options)
        try #require(made.status == 0, "\(made.errorText)")
        let contents = try PKCS12.open(made.output, password: password)
        #expect(contents.key?.publicKey == key.publicKey)
        #expect(contents.certificate == leaf)
        #expect(contents.chain == [pki.identityIntermediate.certificate])
        #expect(contents.friendlyName == "foreign")
    }

    @Test func `a wrong password is told from a damaged file`() throws {
        let key = try TestPKI.sharedKey(.ecP256)
        let file = try PKCS12.make(key: key, certificate: nil, password: password)
        for wrong in ["", "password", "pässword 1 "] {
            #expect(throws: PKIError.wrongPassword) {
                try PKCS12.open(file, password: SecretBytes(copying: wrong.utf8))
            }
        }
        for bytes in [[], [0x30], Array(file.dropLast()), Array("hello".utf8)] {
            let error = #expect(throws: PKIError.self) {
                try PKCS12.open(bytes, password: password)
            }
            #expect(error?.code == "pki.malformed-bundle")
        }
        #expect(throws: PKIError.trailingBytes(after: "PKCS#12 file")) {
            try PKCS12.open(file + [0], password: password)
        }
    }

    @Test(arguments: ["", " ", "a\u{0}b", "σύνθημα γνώρισμα", "😀"])
    func `every password works for both sides`(_ text: String) throws {
        let key = try TestPKI.sharedKey(.ecP256)
        let secret = SecretBytes(copying: text.utf8)
        let file = try PKCS12.make(key: key, certificate: nil, password: secret)
        #expect(try PKCS12.open(file, password: secret).key?.publicKey == key.publicKey)
    }

    @Test func `bounds hold before any derivation`() throws {
        let key = try TestPKI.sharedKey(.ecP256)
        let file = try PKCS12.make(key: key, certificate: nil, password: password)
        #expect(throws: PKIError.bundleTooCostly(iterations: 2048, limit: 2047)) {
            try PKCS12.open(file, password: password, iterationLimit: 2047)
        }
        // The code's iterations and the key's count together.
        #expect(throws: PKIError.bundleTooCostly(iterations: 4096, limit: 4095)) {
            try PKCS12.open(file, password: password, iterationLimit: 4095)
        }
        _ = try PKCS12.open(file, password: password, iterationLimit: 4096)
        #expect(throws: PKIError.tooLarge("PKCS#12 file", limit: PKCS12.sizeLimit)) {
            try PKCS12.open(
                [UInt8](repeating: 0, count: PKCS12.sizeLimit + 1), password: password)
        }
        for iterations in [0, -1, PKCS12.iterationLimit + 1] {
            #expect(throws: PKIError.self) {
                try PKCS12.make(
                    key: key, certificate: nil, password: password, iterations: iterations)
            }
        }
    }

    @Test func `an absurd iteration count is refused at once`() throws {
        let key = try TestPKI.sharedKey(.ecP256)
        var file = try PKCS12.make(
            key: key, certificate: nil, password: password, iterations: 300_000)
        // The last INTEGER of the file is the code's count: 300,000 in three bytes.
        #expect(Array(file.suffix(5)) == [0x02, 0x03, 0x04, 0x93, 0xE0])
        file[file.count - 3] = 0x7F
        let clock = ContinuousClock()
        let elapsed = clock.measure {
            #expect(throws: PKIError.self) { try PKCS12.open(file, password: password) }
        }
        #expect(elapsed < .seconds(1))
    }

    @Test func `a certificate of another key is not packed`() throws {
        let (_, leaf) = try identity()
        #expect(throws: PKIError.keyDoesNotFit) {
            try PKCS12.make(
                key: TestPKI.sharedKey(.ecP256), certificate: leaf, password: password)
        }
    }
}

extension String {
    /// How many times `part` occurs.
    fileprivate func components(_ part: String) -> Int {
        ranges(of: part).count
    }
}
