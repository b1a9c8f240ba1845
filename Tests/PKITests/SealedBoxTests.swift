import PKI
import Secrets
import Testing

@Suite struct SealedBoxTests {
    let key = SecretBytes.random(count: 32)
    let context = Array("vault key 1".utf8)

    @Test func `a known box opens (McGrew and Viega, test case 16)`() throws {
        let key = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"
        let box =
            "cafebabefacedbaddecaf888"
            + "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
            + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
            + "76fc6ece0f4e1768cddf8853bb2d551b"
        let plain =
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
            + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
        let opened = try SealedBox.open(
            #require(Hexadecimal.decode(box)),
            key: SecretBytes(copying: #require(Hexadecimal.decode(key))),
            additionalData: #require(
                Hexadecimal.decode("feedfacedeadbeeffeedfacedeadbeefabaddad2")))
        #expect(opened == SecretBytes(copying: try #require(Hexadecimal.decode(plain))))
    }

    @Test(arguments: [0, 1, 32, 1000])
    func `what is sealed opens again`(_ count: Int) throws {
        let secret = SecretBytes.random(count: count)
        for additional in [[], context] {
            let box = try SealedBox.seal(secret, key: key, additionalData: additional)
            #expect(box.count == count + SealedBox.overhead)
            #expect(try SealedBox.open(box, key: key, additionalData: additional) == secret)
        }
    }

    @Test func `two boxes of one secret differ`() throws {
        let secret = SecretBytes.random(count: 32)
        let one = try SealedBox.seal(secret, key: key, additionalData: [])
        #expect(try SealedBox.seal(secret, key: key, additionalData: []) != one)
    }

    @Test func `any change breaks the seal`() throws {
        let box = try SealedBox.seal(.random(count: 32), key: key, additionalData: context)
        for index in box.indices {
            var changed = box
            changed[index] ^= 1
            #expect(throws: PKIError.sealBroken) {
                try SealedBox.open(changed, key: key, additionalData: context)
            }
            #expect(throws: PKIError.sealBroken) {
                try SealedBox.open(Array(box[..<index]), key: key, additionalData: context)
            }
        }
        #expect(throws: PKIError.sealBroken) {
            try SealedBox.open(box, key: key, additionalData: [])
        }
        #expect(throws: PKIError.sealBroken) {
            try SealedBox.open(box, key: .random(count: 32), additionalData: context)
        }
    }

    @Test func `a key of another length is refused`() {
        #expect(throws: PKIError.self) {
            try SealedBox.seal(.random(count: 1), key: .random(count: 16), additionalData: [])
        }
        #expect(throws: PKIError.self) {
            try SealedBox.open(
                [UInt8](repeating: 0, count: 60), key: .random(count: 33), additionalData: [])
        }
    }
}
