import PKI
import Secrets
import TestSupport
import Testing

@Suite struct PrivateKeyTests {
    let folder = TemporaryFolder()

    /// What the openssl command made, as a secret.
    private func openssl(_ arguments: [String], input: [UInt8] = []) throws -> SecretBytes {
        let result = try ForeignProcess.run("openssl", arguments, input: input)
        try #require(result.status == 0, "\(result.errorText)")
        return SecretBytes(copying: result.output)
    }

    @Test func `a new RSA key has 2048 bits and the exponent 65537`() throws {
        let key = try PrivateKey.generate(.rsa2048)
        #expect(key.publicKey.algorithm == .rsa2048)
        let pem = try key.pkcs8PEM().revealedText
        let shown = try ForeignProcess.run(
            "openssl", ["pkey", "-noout", "-text"], input: Array(pem.utf8))
        #expect(shown.text.contains("2048 bit"))
        #expect(shown.text.contains("publicExponent: 65537"))
    }

    @Test func `a new EC key is on the named curve P-256`() throws {
        let key = try PrivateKey.generate(.ecP256)
        #expect(key.publicKey.algorithm == .ecP256)
        #expect(key.publicKey.algorithm.description == "EC P-256")
        let pem = try key.pkcs8PEM().revealedText
        let shown = try ForeignProcess.run(
            "openssl", ["pkey", "-noout", "-text"], input: Array(pem.utf8))
        #expect(shown.text.contains("ASN1 OID: prime256v1"))
    }

    @Test(arguments: [
        KeyAlgorithm.rsa(bits: 1024), .rsa(bits: 4096),
        .ellipticCurve(name: "P-384", explicitParameters: false),
        .ellipticCurve(name: "P-256", explicitParameters: true), .other("ED25519"),
    ])
    func `other sorts are not made`(_ algorithm: KeyAlgorithm) {
        #expect(throws: PKIError.unsupportedKey(algorithm.description)) {
            try PrivateKey.generate(algorithm)
        }
    }

    @Test(arguments: [KeyAlgorithm.rsa2048, .ecP256])
    func `a key leaves and returns, as PEM and as DER`(_ algorithm: KeyAlgorithm) throws {
        let key = try PrivateKey.generate(algorithm)
        #expect(try PrivateKey(pem: key.pkcs8PEM()).publicKey == key.publicKey)
        #expect(try PrivateKey(der: key.pkcs8DER()).publicKey == key.publicKey)
        let pem = try key.pkcs8PEM().revealedText
        #expect(pem.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        #expect(pem.hasSuffix("-----END PRIVATE KEY-----\n"))
        #expect(pem.split(separator: "\n").allSatisfy { $0.count <= 64 })
        // The foreign encoder writes the same text.
        let foreign = try openssl(["pkey"], input: Array(pem.utf8))
        #expect(try foreign == key.pkcs8PEM())
    }

    @Test func `the older forms of OpenSSL are read`() throws {
        let pkcs1 = try openssl(["genrsa", "-traditional", "2048"])
        #expect(pkcs1.revealedText.contains("BEGIN RSA PRIVATE KEY"))
        #expect(try PrivateKey(pem: pkcs1).publicKey.algorithm == .rsa2048)
        // With the parameters block that openssl ecparam writes before the key.
        let sec1 = try openssl(["ecparam", "-name", "prime256v1", "-genkey"])
        #expect(sec1.revealedText.contains("BEGIN EC PARAMETERS"))
        #expect(try PrivateKey(pem: sec1).publicKey.algorithm == .ecP256)
    }

    @Test func `sizes and curves that are no good are told apart`() throws {
        let small = try openssl(["genrsa", "1024"])
        #expect(try PrivateKey(pem: small).publicKey.algorithm == .rsa(bits: 1024))
        let explicit = try openssl([
            "ecparam", "-name", "prime256v1", "-genkey", "-param_enc", "explicit", "-noout",
        ])
        #expect(
            try PrivateKey(pem: explicit).publicKey.algorithm
                == .ellipticCurve(name: "P-256", explicitParameters: true))
        let larger = try openssl(["ecparam", "-name", "secp384r1", "-genkey", "-noout"])
        #expect(
            try PrivateKey(pem: larger).publicKey.algorithm
                == .ellipticCurve(name: "P-384", explicitParameters: false))
        let other = try openssl(["genpkey", "-algorithm", "ED25519"])
        #expect(try PrivateKey(pem: other).publicKey.algorithm == .other("ED25519"))
    }

    @Test func `an encrypted key is refused without asking for a password`() throws {
        let plain = try PrivateKey.generate(.ecP256).pkcs8PEM().revealedText
        for arguments in [
            ["pkcs8", "-topk8", "-passout", "pass:secret"],
            ["pkcs8", "-topk8", "-passout", "pass:secret", "-v1", "PBE-SHA1-3DES"],
            ["ec", "-aes256", "-passout", "pass:secret"],
        ] {
            let encrypted = try openssl(arguments, input: Array(plain.utf8))
            #expect(throws: PKIError.privateKeyEncrypted) { try PrivateKey(pem: encrypted) }
        }
        let der = try openssl(
            ["pkcs8", "-topk8", "-outform", "DER", "-passout", "pass:secret"],
            input: Array(plain.utf8))
        #expect(throws: PKIError.privateKeyEncrypted) { try PrivateKey(der: der) }
    }

    @Test func `bytes behind a key are refused`() throws {
        let key = try PrivateKey.generate(.ecP256)
        let bytes = try key.pkcs8DER().revealed
        #expect(throws: PKIError.trailingBytes(after: "private key")) {
            try PrivateKey(der: SecretBytes(copying: bytes + [0]))
        }
    }

    @Test func `two halves that do not belong together are refused`() throws {
        // SEC 1 repeats the public point at its end; another key's point is put there.
        let (one, other) = try (PrivateKey.generate(.ecP256), PrivateKey.generate(.ecP256))
        let mixed = try one.pkcs8DER().revealed.dropLast(64) + other.pkcs8DER().revealed.suffix(64)
        #expect(throws: PKIError.keyHalvesDiffer) {
            try PrivateKey(der: SecretBytes(copying: mixed))
        }
    }

    @Test(arguments: [KeyAlgorithm.rsa2048, .ecP256])
    func `a signature verifies here and at the openssl command`(
        _ algorithm: KeyAlgorithm
    ) throws {
        let key = try PrivateKey.generate(algorithm)
        let message = Array("a message".utf8)
        let signature = try key.sign(message)
        #expect(key.publicKey.verifies(signature, of: message))
        #expect(!key.publicKey.verifies(signature, of: message + [0]))
        #expect(!key.publicKey.verifies([], of: message))
        let verified = try ForeignProcess.run(
            "openssl",
            [
                "dgst", "-sha256", "-verify",
                folder.write(
                    "public.pem",
                    Array(
                        PEMDocument.text(
                            label: "PUBLIC KEY", key.publicKey.subjectPublicKeyInfo
                        ).utf8)),
                "-signature", folder.write("signature", signature),
            ], input: message)
        #expect(verified.text.contains("Verified OK"))
    }

    @Test func `a key never prints`() throws {
        let key = try PrivateKey.generate(.ecP256)
        #expect("\(key) \(String(reflecting: key))" == "‹private key› ‹private key›")
    }

    @Test func `a public key is read back from its encoding`() throws {
        let key = try PrivateKey.generate(.ecP256).publicKey
        #expect(try PublicKey(subjectPublicKeyInfo: key.subjectPublicKeyInfo) == key)
        #expect(throws: PKIError.trailingBytes(after: "public key")) {
            try PublicKey(subjectPublicKeyInfo: key.subjectPublicKeyInfo + [0])
        }
        #expect(throws: PKIError.self) { try PublicKey(subjectPublicKeyInfo: []) }
    }

    @Test func `keys are made and used by many threads at once`() async throws {
        let shared = try PrivateKey.generate(.ecP256)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<16 {
                group.addTask {
                    let own = try PrivateKey.generate(.ecP256)
                    let message = [UInt8(number)]
                    return try own.publicKey.verifies(own.sign(message), of: message)
                        && shared.publicKey.verifies(shared.sign(message), of: message)
                }
            }
            for try await isGood in group {
                #expect(isGood)
            }
        }
    }

    // Five primes, because such a key is found in a second and one of two takes a minute.
    @Test(arguments: [(8_192, true), (8_200, false), (9_216, false)])
    func `RSA keys of up to 8192 bits are proved, longer ones refused without the work`(
        bits: Int, isTaken: Bool
    ) throws {
        let made = try ForeignProcess.run(
            "openssl",
            [
                "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:\(bits)",
                "-pkeyopt", "rsa_keygen_primes:5",
            ])
        try #require(made.status == 0, "\(made.errorText)")
        let pem = SecretBytes(copying: made.output)
        guard !isTaken else {
            #expect(try PrivateKey(pem: pem).publicKey.algorithm == .rsa(bits: bits))
            return
        }
        #expect(throws: PKIError.unsupportedKey("RSA \(bits)")) { try PrivateKey(pem: pem) }
    }
}
