import PKI
import Secrets

/// What an unlocker gets out of `master.json`.
struct OpenMaster: Sendable {
    /// Newest last, which is the one in use.
    let keys: [VaultKey]
    /// 32 random bytes that stay the same through every rotation.
    ///
    /// Anybody can seal a vault key to an unlocker's public key; only who holds this can make the
    /// code of a whole file.
    let homeKey: SecretBytes
    /// The id of the unlocker that was used, and its private key.
    let unlocker: String
    let privateKey: SecretBytes

    /// The code under which the whole file stands.
    ///
    /// Whoever made it knew both the vault key in use and the home key.
    static func code(of bytes: [UInt8], vaultKey: VaultKey, homeKey: SecretBytes) -> [UInt8] {
        let both = vaultKey.bytes.withUnsafeBytes { first in
            homeKey.withUnsafeBytes { second in
                SecretBytes(count: first.count + second.count) { target in
                    target.copyBytes(from: first)
                    UnsafeMutableRawBufferPointer(rebasing: target[first.count...])
                        .copyBytes(from: second)
                }
            }
        }
        return HMACSHA256.authenticate(
            bytes,
            key: HKDF.sha256(
                key: both, salt: [], info: Array("purser master|\(vaultKey.generation)".utf8),
                count: 32))
    }
}
