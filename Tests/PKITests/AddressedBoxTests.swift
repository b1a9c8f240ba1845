import Secrets
import TestSupport
import Testing

@testable import PKI

@Suite struct X25519Tests {
    private func bytes(_ hex: String) throws -> [UInt8] { try #require(Hexadecimal.decode(hex)) }

    private func secret(_ hex: String) throws -> SecretBytes {
        SecretBytes(copying: try bytes(hex))
    }

    @Test func `two people come to the secret of RFC 7748 section 6_1`() throws {
        let alice = try secret("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")
        let bob = try secret("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")
        let alicePublic = try bytes(
            "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a")
        let bobPublic = try bytes(
            "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f")
        #expect(try X25519.publicKey(of: alice) == alicePublic)
        #expect(try X25519.publicKey(of: bob) == bobPublic)
        let shared = try secret("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742")
        #expect(try X25519.sharedSecret(alice, with: bobPublic) == shared)
        #expect(try X25519.sharedSecret(bob, with: alicePublic) == shared)
    }

    @Test(
        arguments: [
            // 0, 1, p - 1, p, p + 1, and the two points of order 8.
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0100000000000000000000000000000000000000000000000000000000000000",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
            "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        ])
    func `a public key with which everybody comes to zeros is refused`(hex: String) throws {
        let weak = try bytes(hex)
        #expect(throws: PKIError.parametersRefused("a public key with which nothing stays secret"))
        {
            try X25519.sharedSecret(.random(count: 32), with: weak)
        }
        #expect(throws: PKIError.self) {
            try AddressedBox.seal(.random(count: 32), to: weak, purpose: "p", additionalData: [])
        }
        let box = weak + [UInt8](repeating: 0, count: 60)
        #expect(throws: PKIError.sealBroken) {
            try AddressedBox.open(
                box, privateKey: .random(count: 32), purpose: "p", additionalData: [])
        }
    }

    @Test func `keys of another length are refused`() {
        for count in [0, 31, 33] {
            #expect(throws: PKIError.self) {
                try X25519.publicKey(of: .random(count: count))
            }
            #expect(throws: PKIError.self) {
                try X25519.sharedSecret(
                    .random(count: 32), with: [UInt8](repeating: 9, count: count))
            }
        }
    }
}

@Suite struct AddressedBoxTests {
    private let receiver = SecretBytes.random(count: 32)
    private let context = Array("unlocker 1".utf8)

    @Test(arguments: [0, 1, 32, 1000])
    func `what is sealed to a public key opens with the private one`(_ count: Int) throws {
        let secret = SecretBytes.random(count: count)
        let publicKey = try X25519.publicKey(of: receiver)
        let box = try AddressedBox.seal(
            secret, to: publicKey, purpose: "p", additionalData: context)
        #expect(box.count == count + AddressedBox.overhead)
        let opened = try AddressedBox.open(
            box, privateKey: receiver, purpose: "p", additionalData: context)
        #expect(opened == secret)
    }

    @Test func `any change, another purpose or another key breaks the seal`() throws {
        let box = try AddressedBox.seal(
            .random(count: 32), to: X25519.publicKey(of: receiver), purpose: "p",
            additionalData: context)
        func isRefused(
            _ box: [UInt8], by key: SecretBytes, _ purpose: String, _ data: [UInt8]
        ) {
            #expect(throws: PKIError.sealBroken) {
                try AddressedBox.open(
                    box, privateKey: key, purpose: purpose, additionalData: data)
            }
        }
        for index in box.indices {
            var changed = box
            changed[index] ^= 1
            isRefused(changed, by: receiver, "p", context)
            isRefused(Array(box[..<index]), by: receiver, "p", context)
        }
        isRefused(box, by: receiver, "q", context)
        isRefused(box, by: receiver, "p", [])
        isRefused(box, by: .random(count: 32), "p", context)
    }

    @Test func `two boxes of one secret have nothing in common`() throws {
        let secret = SecretBytes.random(count: 32)
        let publicKey = try X25519.publicKey(of: receiver)
        let boxes = try (0..<2).map { _ in
            try AddressedBox.seal(secret, to: publicKey, purpose: "p", additionalData: [])
        }
        #expect(boxes[0].prefix(32) != boxes[1].prefix(32))
        #expect(boxes[0].suffix(48) != boxes[1].suffix(48))
    }
}
