import Merchants
import PKI
import Secrets

/// 32 random bytes from which every password and code of a home is derived; one per generation.
struct VaultKey: Sendable {
    let generation: Int
    let bytes: SecretBytes

    static let length = 32

    static func fresh(generation: Int) -> VaultKey {
        VaultKey(generation: generation, bytes: .random(count: length))
    }

    /// The password of a key's PKCS#12 file: base64url, 43 characters, 256 bits.
    ///
    /// Two steps of HKDF-SHA256 (RFC 5869). The first gives a key per kind, so that a service can
    /// be handed the identity keys alone; the second, salted with the SHA-256 of the public key,
    /// gives the password. Keystore/README.md repeats them with the `openssl` command.
    func password(for slot: KeySlot) -> SecretBytes {
        let kindKey = kindKey(slot.kind)
        let derived = HKDF.sha256(
            key: kindKey, salt: slot.publicKeyHash,
            info: Array("purser PKCS#12 password|\(slot.kind.rawValue)|\(generation)".utf8),
            count: 32)
        return Base64.encodeURL(derived)
    }

    private func kindKey(_ kind: CredentialKind) -> SecretBytes {
        HKDF.sha256(
            key: bytes, salt: [], info: Array("purser kind|\(kind.rawValue)|\(generation)".utf8),
            count: 32)
    }
}
