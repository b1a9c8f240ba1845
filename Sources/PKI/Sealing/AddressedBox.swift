package import Secrets

/// A secret sealed to a public key: anybody makes one, the holder of the private key opens it.
///
/// The form is ephemeral public key (32 bytes) ‖ ``SealedBox``. The box's key is HKDF-SHA256 of the
/// X25519 secret between the ephemeral key and the receiver's, with both public keys as the salt.
/// Who made the box is not proved by it: what must not be replaced needs a code besides.
package enum AddressedBox {
    /// How much longer the box is than what is in it.
    package static let overhead = X25519.count + SealedBox.overhead

    /// Seals `plaintext` to `publicKey`; opening needs the same `purpose` and `additionalData`.
    ///
    /// - Throws: ``PKIError/parametersRefused(_:)`` for a public key that is none.
    package static func seal(
        _ plaintext: SecretBytes, to publicKey: [UInt8], purpose: String, additionalData: [UInt8]
    ) throws(PKIError) -> [UInt8] {
        let ephemeral = SecretBytes.random(count: X25519.count)
        let ephemeralPublic = try X25519.publicKey(of: ephemeral)
        let shared = try X25519.sharedSecret(ephemeral, with: publicKey)
        return try ephemeralPublic
            + SealedBox.seal(
                plaintext, key: key(shared, ephemeralPublic, publicKey, purpose),
                additionalData: additionalData)
    }

    /// Opens a box; nothing of it is given out unless all of it is genuine.
    ///
    /// - Throws: ``PKIError/sealBroken`` for any change to box, purpose or additional data, or
    ///   another key; ``PKIError/parametersRefused(_:)`` for a private key that is not 32 bytes.
    package static func open(
        _ box: [UInt8], privateKey: SecretBytes, purpose: String, additionalData: [UInt8]
    ) throws(PKIError) -> SecretBytes {
        let publicKey = try X25519.publicKey(of: privateKey)
        guard box.count >= overhead else { throw .sealBroken }
        let ephemeralPublic = Array(box.prefix(X25519.count))
        let shared: SecretBytes
        do throws(PKIError) {
            shared = try X25519.sharedSecret(privateKey, with: ephemeralPublic)
        } catch {
            throw .sealBroken
        }
        return try SealedBox.open(
            Array(box.dropFirst(X25519.count)),
            key: key(shared, ephemeralPublic, publicKey, purpose), additionalData: additionalData)
    }

    private static func key(
        _ shared: SecretBytes, _ ephemeral: [UInt8], _ receiver: [UInt8], _ purpose: String
    ) -> SecretBytes {
        HKDF.sha256(
            key: shared, salt: ephemeral + receiver, info: Array(purpose.utf8), count: 32)
    }
}
