import PKI
import Secrets
import TestSupport
import Testing

/// Keys in every form that the `openssl` command writes, each to the same public key.
@Suite struct ForeignKeyTests {
    let folder = TemporaryFolder()
    let rsa: PrivateKey
    let ec: PrivateKey

    init() throws {
        rsa = try TestPKI.sharedKey(.rsa2048)
        ec = try TestPKI.sharedKey(.ecP256)
    }

    private func openssl(_ arguments: [String], _ key: PrivateKey) throws -> [UInt8] {
        let result = try ForeignProcess.run(
            "openssl", arguments, input: try key.pkcs8PEM().revealed)
        try #require(result.status == 0, "\(result.errorText)")
        return result.output
    }

    private func read(_ bytes: [UInt8], _ password: String...) throws -> ForeignContents {
        try ForeignReader(passwords: password.map { SecretBytes(copying: $0.utf8) })
            .read(SecretBytes(copying: bytes))
    }

    /// Takes the curve out of the key's DER: what is left is completed from the block before it.
    private func readsWithoutItsOwnCurve(_ made: [UInt8]) throws {
        let blocks = try PEMDocument(SecretBytes(copying: made)).blocks
        let whole = try #require(blocks.last?.contents).revealed
        // [0] with the OID of P-256: twelve bytes.
        let curve: [UInt8] = [
            0xA0, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07,
        ]
        let place = try #require(whole.indices.first { whole[$0...].starts(with: curve) })
        var bare = whole
        bare.removeSubrange(place..<(place + curve.count))
        bare[1] -= UInt8(curve.count)
        let key = PEMDocument.text(label: "EC PRIVATE KEY", bare)
        let curveBlock = PEMDocument.text(
            label: "EC PARAMETERS", try #require(blocks.first?.contents).revealed)
        let file = curveBlock + key
        let expected = try read(made).keys.map(\.value.publicKey)
        #expect(try read(Array(file.utf8)).keys.map(\.value.publicKey) == expected)
        // Alone, and behind the curve of another key, nobody can tell.
        #expect(throws: PKIError.self) { try read(Array(key.utf8)) }
        let other = PEMDocument.text(label: "CERTIFICATE", [0x30, 0x00])
        let contents = ForeignReader().survey(
            SecretBytes(copying: Array((curveBlock + other + key).utf8)))
        #expect(contents.keys.isEmpty)
        // Encrypted as OpenSSL did before version 1.0, it is no different.
        let encrypted = try ForeignProcess.run(
            "openssl",
            [
                "enc", "-aes-128-cbc", "-K", Self.traditionalKey, "-iv", Self.vector,
                "-in", folder.write("bare.der", bare),
            ])
        #expect(encrypted.status == 0)
        let body = PEMDocument.text(label: "EC PRIVATE KEY", encrypted.output).split(
            separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        let sealed =
            curveBlock + body[0]
            + "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,\(Self.vector)\n\n" + body[1]
        #expect(
            try read(Array(sealed.utf8), "secret").keys.map(\.value.publicKey) == expected)
    }

    private static let vector = "000102030405060708090A0B0C0D0E0F"
    /// MD5 of the password and the vector's first eight bytes (man 3 EVP_BytesToKey).
    private static let traditionalKey: String = {
        let input = Array("secret".utf8) + [0, 1, 2, 3, 4, 5, 6, 7]
        let digest = try? ForeignProcess.run("openssl", ["md5", "-r"], input: input)
        return String((digest?.text ?? "").prefix(32))
    }()

    @Test func `open keys are read`() throws {
        for form in ["PEM", "DER"] {
            for (key, forms) in [
                (
                    rsa,
                    [
                        ["pkcs8", "-topk8", "-nocrypt", "-outform", form],
                        ["rsa", "-traditional", "-outform", form],
                    ]
                ),
                (
                    ec,
                    [
                        ["pkcs8", "-topk8", "-nocrypt", "-outform", form],
                        ["ec", "-outform", form],
                    ]
                ),
            ] {
                for arguments in forms {
                    let contents = try read(openssl(arguments, key))
                    #expect(contents.keys.map(\.value.publicKey) == [key.publicKey])
                    #expect(contents.keys.first?.protection == nil)
                }
            }
        }
        let made = try openssl(["ecparam", "-name", "prime256v1", "-genkey"], ec)
        #expect(String(decoding: made, as: UTF8.self).contains("EC PARAMETERS"))
        #expect(try read(made).keys.count == 1)
        try readsWithoutItsOwnCurve(made)
        let publicRSA = try openssl(["rsa", "-RSAPublicKey_out"], rsa)
        #expect(try read(publicRSA).publicKeys.map(\.value) == [rsa.publicKey])
    }

    @Test(arguments: [
        ["-v2", "aes-256-cbc"], ["-v2", "aes-128-cbc", "-v2prf", "hmacWithSHA512"],
        ["-v2", "des3"], ["-v2", "camellia-256-cbc"], ["-v2", "aria-256-cbc"],
        ["-scrypt"], ["-v1", "PBE-SHA1-3DES"], ["-v1", "PBE-SHA1-2DES"],
        ["-v1", "PBE-SHA1-RC2-40"], ["-v1", "PBE-SHA1-RC2-128"], ["-v1", "PBE-SHA1-RC4-128"],
        ["-v1", "PBE-SHA1-RC4-40"], ["-v1", "PBE-MD5-DES"], ["-v1", "PBE-SHA1-DES"],
        ["-v1", "PBE-MD5-RC2-64"], ["-v2", "des-cbc"], ["-v2", "rc2-cbc"],
    ])
    func `encrypted PKCS#8 is read`(_ options: [String]) throws {
        for form in ["PEM", "DER"] {
            let file = try openssl(
                [
                    "pkcs8", "-topk8", "-outform", form, "-passout", "pass:secret",
                    "-provider", "default", "-provider", "legacy",
                ] + options, ec)
            let contents = try read(file, "wrong", "secret")
            #expect(contents.keys.map(\.value.publicKey) == [ec.publicKey])
            #expect(contents.keys.first?.protection != nil)
            #expect(throws: PKIError.passwordNeeded("private key")) { try read(file) }
            // Nothing is over it, so nobody can say that a password is wrong.
            #expect(throws: PKIError.cannotDecrypt("private key")) { try read(file, "other") }
        }
    }

    @Test(arguments: ["aes256", "aes128", "des3", "des", "camellia256"])
    func `traditional encrypted PEM is read`(_ cipher: String) throws {
        for (key, verb) in [(rsa, ["rsa", "-traditional"]), (ec, ["ec"])] {
            let file = try openssl(
                verb + [
                    "-\(cipher)", "-passout", "pass:secret", "-provider", "default",
                    "-provider", "legacy",
                ], key)
            let text = String(decoding: file, as: UTF8.self)
            #expect(text.contains("DEK-Info"))
            for variant in [
                text, text.replacing("\n", with: " "), text.replacing("\n", with: "\\n"),
            ] {
                let contents = try read(Array(variant.utf8), "secret")
                #expect(contents.keys.map(\.value.publicKey) == [key.publicKey])
            }
            #expect(throws: PKIError.passwordNeeded("private key")) { try read(file) }
            #expect(throws: PKIError.cannotDecrypt("private key")) { try read(file, "other") }
        }
    }

    @Test func `passwords are tried as UTF-8 and as Latin-1`() throws {
        let latin: [UInt8] = [0x47, 0x72, 0xFC, 0xDF, 0x65]
        for bytes in [Array("Grüße".utf8), latin] {
            let file = try openssl(
                [
                    "pkcs8", "-topk8", "-v2", "aes-256-cbc", "-passout",
                    "file:" + folder.write("password", bytes),
                ], ec)
            #expect(try read(file, "Grüße").keys.count == 1)
            let contents = try ForeignReader(passwords: [SecretBytes(copying: latin)])
                .read(SecretBytes(copying: file))
            #expect(contents.keys.count == 1)
        }
    }

    @Test func `work is refused before it is done`() throws {
        let dear = try openssl(
            [
                "pkcs8", "-topk8", "-v2", "aes-256-cbc", "-iter", "1", "-passout", "pass:secret",
                "-outform", "DER",
            ], ec)
        // The count is the INTEGER behind PBKDF2's salt of 8 bytes.
        let salt = try #require(
            dear.indices.first { dear[$0...].starts(with: [0x04, 0x08]) && dear[$0 + 10] == 0x02 })
        var file = dear
        file.replaceSubrange((salt + 10)..<(salt + 13), with: [0x02, 0x03, 0x7F, 0xFF, 0xFF])
        // Two more bytes in each of the SEQUENCEs around it.
        let grown = try #require(Self.lengthen(&file, around: salt, by: 2))
        #expect(grown >= 4)
        let contents = ForeignReader(passwords: [SecretBytes(copying: "secret".utf8)])
            .survey(SecretBytes(copying: file))
        #expect(
            contents.problems.map(\.error) == [
                .bundleTooCostly(iterations: 0x7F_FFFF, limit: 1_000_000)
            ])
        #expect(contents.iterationsSpent == 0)

        // Proving a key costs too: a file may be full of large ones.
        let plain = try rsa.pkcs8PEM()
        #expect(throws: PKIError.bundleTooCostly(iterations: 1_200, limit: 1_000)) {
            try ForeignReader(iterationLimit: 1_000).read(plain)
        }
        #expect(ForeignReader().survey(plain).iterationsSpent == 1_200)

        let scrypt = try openssl(
            [
                "pkcs8", "-topk8", "-scrypt", "-scrypt_N", "16384", "-passout", "pass:secret",
            ], ec)
        let tight = ForeignReader(
            passwords: [SecretBytes(copying: "secret".utf8)], iterationLimit: 100_000
        ).survey(SecretBytes(copying: scrypt))
        #expect(tight.problems.map(\.error.code) == ["pki.bundle-too-costly"])
    }

    /// Adds to the length of every SEQUENCE that encloses `position`; how many there were.
    private static func lengthen(_ der: inout [UInt8], around position: Int, by: UInt8) -> Int? {
        var count = 0
        var index = 0
        while index < position {
            let long = der[index + 1] & 0x80 != 0
            let width = long ? Int(der[index + 1] & 0x7F) : 0
            let header = 2 + width
            let length =
                long
                ? der[(index + 2)..<(index + header)].reduce(0) { $0 << 8 | Int($1) }
                : Int(der[index + 1])
            if der[index] == 0x30, index + header + length > position {
                let last = index + header - 1
                guard der[last] < 0xFF - by, long || der[last] < 0x80 - by else { return nil }
                der[last] += by
                count += 1
                index += header
            } else {
                index += header + length
            }
        }
        return count
    }
}
