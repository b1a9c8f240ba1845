internal import COpenSSL
package import Secrets

/// X25519 (RFC 7748): two that know each other's public keys agree on a secret.
///
/// Keys are 32 raw bytes. Any 32 bytes are a private key: the function itself sets and clears the
/// bits that the RFC names.
package enum X25519 {
    /// The length of a private key, of a public key and of a shared secret.
    package static let count = 32

    /// The public key of a private one.
    ///
    /// - Throws: ``PKIError/parametersRefused(_:)`` for a key that is not 32 bytes.
    package static func publicKey(of privateKey: SecretBytes) throws(PKIError) -> [UInt8] {
        let key = try unsafe load(privateKey)
        defer { unsafe EVP_PKEY_free(key) }
        var bytes = [UInt8](repeating: 0, count: count)
        var length = count
        guard unsafe EVP_PKEY_get_raw_public_key(key, &bytes, &length) == 1, length == count else {
            throw .library("find the public key", .drain())
        }
        return bytes
    }

    /// The secret that the holders of the two keys share.
    ///
    /// It is no key yet: derive one with ``HKDF``, bound to both public keys. A public key of low
    /// order, with which everybody comes to zeros, is refused as RFC 7748 §6.1 says.
    ///
    /// - Throws: ``PKIError/parametersRefused(_:)`` for such a key, and for one that is not 32 bytes.
    static func sharedSecret(
        _ privateKey: SecretBytes, with publicKey: [UInt8]
    ) throws(PKIError) -> SecretBytes {
        guard publicKey.count == count else { throw refused(publicKey.count) }
        let own = try unsafe load(privateKey)
        defer { unsafe EVP_PKEY_free(own) }
        guard
            let other = unsafe EVP_PKEY_new_raw_public_key_ex(
                nil, "X25519", nil, publicKey, publicKey.count)
        else { throw .library("read a public key", .drain()) }
        defer { unsafe EVP_PKEY_free(other) }
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, own, nil) else {
            throw .library("agree on a secret", .drain())
        }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        guard unsafe EVP_PKEY_derive_init(context) == 1,
            unsafe EVP_PKEY_derive_set_peer(context, other) == 1
        else { throw .library("agree on a secret", .drain()) }
        var isAgreed = false
        let secret = unsafe SecretBytes(count: count) { output in
            var length = output.count
            let start = unsafe output.bindMemory(to: UInt8.self).baseAddress
            isAgreed = unsafe EVP_PKEY_derive(context, start, &length) == 1 && length == count
        }
        OpenSSLReasons.forget()
        // OpenSSL refuses zeros itself; that must not depend on its version.
        guard isAgreed, secret != SecretBytes(copying: [UInt8](repeating: 0, count: count)) else {
            throw .parametersRefused("a public key with which nothing stays secret")
        }
        return secret
    }

    private static func load(_ privateKey: SecretBytes) throws(PKIError) -> OpaquePointer {
        guard privateKey.count == count else { throw refused(privateKey.count) }
        OpenSSLReasons.forget()
        let key = unsafe privateKey.withUnsafeBytes { bytes in
            unsafe EVP_PKEY_new_raw_private_key_ex(
                nil, "X25519", nil, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        }
        guard let key = unsafe key else { throw .library("find X25519", .drain()) }
        return unsafe key
    }

    private static func refused(_ length: Int) -> PKIError {
        .parametersRefused("an X25519 key of \(length) bytes; it has \(count)")
    }
}
