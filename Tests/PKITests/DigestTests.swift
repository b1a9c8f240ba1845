import PKI
import Secrets
import Testing

@Suite struct DigestTests {
    @Test func `SHA-256 is that of FIPS 180`() {
        #expect(
            Hexadecimal.lowercase(SHA256.hash(Array("abc".utf8)))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            Hexadecimal.lowercase(SHA256.hash([]))
                == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    // RFC 4231, test cases 1, 2 and 6.
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0B, count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131),
            "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ])
    func `HMAC is that of RFC 4231`(_ key: [UInt8], _ data: String, _ expected: String) {
        let key = SecretBytes(copying: key)
        let code = HMACSHA256.authenticate(Array(data.utf8), key: key)
        #expect(Hexadecimal.lowercase(code) == expected)
        #expect(HMACSHA256.isValid(code, for: Array(data.utf8), key: key))
        #expect(!HMACSHA256.isValid(code, for: Array("other".utf8), key: key))
        #expect(!HMACSHA256.isValid(code.dropLast(), for: Array(data.utf8), key: key))
        #expect(!HMACSHA256.isValid([], for: Array(data.utf8), key: key))
    }

    @Test func `an HMAC under an empty key, of nothing, is made`() {
        // Known from every implementation: HMAC-SHA256("", "").
        let code = HMACSHA256.authenticate([], key: SecretBytes(copying: []))
        #expect(
            Hexadecimal.lowercase(code)
                == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }

    // RFC 5869, test cases 1 and 3.
    @Test(
        arguments: [
            (
                Array(0...12), Array(0xF0...0xF9),
                "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
            ),
            (
                [], [],
                "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
            ),
        ] as [([UInt8], [UInt8], String)])
    func `HKDF is that of RFC 5869`(_ salt: [UInt8], _ info: [UInt8], _ expected: String) {
        let key = SecretBytes(copying: [UInt8](repeating: 0x0B, count: 22))
        let derived = HKDF.sha256(key: key, salt: salt, info: info, count: 42)
        #expect(derived == SecretBytes(copying: Hexadecimal.decode(expected) ?? []))
    }
}

@Suite struct ScryptTests {
    // RFC 7914 §12.
    @Test(arguments: [
        (
            "", "", Scrypt.Parameters(n: 16, r: 1, p: 1),
            "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
                + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"
        ),
        (
            "pleaseletmein", "SodiumChloride", Scrypt.Parameters(n: 16_384, r: 8, p: 1),
            "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
                + "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"
        ),
    ])
    func `scrypt is that of RFC 7914`(
        _ password: String, _ salt: String, _ parameters: Scrypt.Parameters, _ expected: String
    ) throws {
        let key = try Scrypt.derive(
            password: SecretBytes(copying: password.utf8), salt: Array(salt.utf8),
            parameters: parameters, count: 64)
        #expect(key == SecretBytes(copying: Hexadecimal.decode(expected) ?? []))
    }

    @Test func `the standard parameters fit into the memory limit`() throws {
        let key = try Scrypt.derive(
            password: SecretBytes(copying: "a".utf8), salt: [1], parameters: .standard, count: 32)
        #expect(key.count == 32)
    }

    @Test(arguments: [
        Scrypt.Parameters(n: 0, r: 8, p: 1), .init(n: 1, r: 8, p: 1), .init(n: 3, r: 8, p: 1),
        .init(n: 1 << 40, r: 8, p: 1), .init(n: 1 << 20, r: 8, p: 1), .init(n: 16, r: 0, p: 1),
        .init(n: 16, r: 1, p: 0), .init(n: 16, r: .max, p: .max), .init(n: 16, r: 1, p: 1000),
    ])
    func `parameters out of bounds are refused before any work`(_ parameters: Scrypt.Parameters) {
        let error = #expect(throws: PKIError.self) {
            try Scrypt.derive(
                password: SecretBytes(copying: "a".utf8), salt: [1], parameters: parameters,
                count: 32)
        }
        #expect(error?.code == "pki.parameters-refused")
    }
}
