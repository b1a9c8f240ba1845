internal import COpenSSL
package import Secrets

/// AES-256-GCM (NIST SP 800-38D): a secret that only the holder of the key reads, and nobody changes.
///
/// The form is nonce (12 random bytes) ‖ ciphertext ‖ tag (16 bytes). One key may seal some 2^32
/// boxes before random nonces might collide.
package enum SealedBox {
    /// How much longer the box is than what is in it.
    package static let overhead = nonceCount + tagCount
    private static let nonceCount = 12
    private static let tagCount = 16
    private static let keyCount = 32

    /// Seals `plaintext`; `additionalData` is not in the box, but opening needs the same again.
    ///
    /// - Throws: ``PKIError/parametersRefused(_:)`` for a key that is not 32 bytes.
    package static func seal(
        _ plaintext: SecretBytes, key: SecretBytes, additionalData: [UInt8]
    ) throws(PKIError) -> [UInt8] {
        let nonce = (0..<nonceCount).map { _ in UInt8.random(in: .min ... .max) }
        return try seal(plaintext, key: key, additionalData: additionalData, nonce: nonce)
    }

    /// The same with a nonce that is given, for known-answer tests.
    static func seal(
        _ plaintext: SecretBytes, key: SecretBytes, additionalData: [UInt8], nonce: [UInt8]
    ) throws(PKIError) -> [UInt8] {
        let cipher = try unsafe start(key: key, nonce: nonce, sealing: true)
        defer { unsafe EVP_CIPHER_CTX_free(cipher) }
        var box = nonce + [UInt8](repeating: 0, count: plaintext.count + tagCount)
        var length: Int32 = 0
        let isSealed = unsafe box.withUnsafeMutableBufferPointer { box in
            guard let body = unsafe box.baseAddress.map({ unsafe $0 + nonceCount }) else {
                return false
            }
            let tag = unsafe body + plaintext.count
            return unsafe plaintext.withUnsafeBytes { input in
                unsafe add(additionalData, to: cipher)
                    && EVP_EncryptUpdate(
                        cipher, body, &length, input.bindMemory(to: UInt8.self).baseAddress,
                        Int32(input.count)) == 1
                    && EVP_EncryptFinal_ex(cipher, tag, &length) == 1
                    && EVP_CIPHER_CTX_ctrl(
                        cipher, EVP_CTRL_AEAD_GET_TAG, Int32(tagCount), tag) == 1
            }
        }
        guard isSealed else { throw .library("seal a secret", .drain()) }
        return box
    }

    /// Opens a box; nothing of it is given out unless all of it is genuine.
    ///
    /// - Throws: ``PKIError/sealBroken`` for any change to box or additional data, or another key;
    ///   ``PKIError/parametersRefused(_:)`` for a key that is not 32 bytes.
    package static func open(
        _ box: [UInt8], key: SecretBytes, additionalData: [UInt8]
    ) throws(PKIError) -> SecretBytes {
        guard box.count >= overhead else { throw .sealBroken }
        let cipher = try unsafe start(
            key: key, nonce: Array(box.prefix(nonceCount)), sealing: false)
        defer { unsafe EVP_CIPHER_CTX_free(cipher) }
        let body = Array(box[nonceCount..<(box.count - tagCount)])
        var tag = Array(box.suffix(tagCount))
        var isGenuine = false
        let plaintext = unsafe SecretBytes(count: body.count) { output in
            let start = unsafe output.bindMemory(to: UInt8.self).baseAddress
            var length: Int32 = 0
            var none: UInt8 = 0
            isGenuine =
                unsafe add(additionalData, to: cipher)
                && EVP_DecryptUpdate(cipher, start, &length, body, Int32(body.count)) == 1
                && EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, Int32(tagCount), &tag) == 1
                && EVP_DecryptFinal_ex(cipher, &none, &length) == 1
        }
        OpenSSLReasons.forget()
        // A plaintext that is not genuine is wiped here unseen, with the secret that holds it.
        guard isGenuine else { throw .sealBroken }
        return plaintext
    }

    private static func start(
        key: SecretBytes, nonce: [UInt8], sealing: Bool
    ) throws(PKIError) -> OpaquePointer {
        guard key.count == keyCount else {
            throw .parametersRefused("a sealing key of \(key.count) bytes; it has \(keyCount)")
        }
        OpenSSLReasons.forget()
        // The default provider's GCM takes a nonce of 12 bytes unless told otherwise.
        guard let cipher = unsafe EVP_CIPHER_fetch(nil, "AES-256-GCM", nil) else {
            throw .library("find AES-256-GCM", .drain())
        }
        defer { unsafe EVP_CIPHER_free(cipher) }
        guard let context = unsafe EVP_CIPHER_CTX_new() else {
            throw .library("find AES-256-GCM", .drain())
        }
        let isReady = unsafe key.withUnsafeBytes { key in
            unsafe EVP_CipherInit_ex2(
                context, cipher, key.bindMemory(to: UInt8.self).baseAddress, nonce,
                sealing ? 1 : 0, nil) == 1
        }
        guard isReady else {
            unsafe EVP_CIPHER_CTX_free(context)
            throw .library("prepare AES-256-GCM", .drain())
        }
        return unsafe context
    }

    private static func add(_ additionalData: [UInt8], to cipher: OpaquePointer) -> Bool {
        guard !additionalData.isEmpty else { return true }
        var length: Int32 = 0
        return unsafe EVP_CipherUpdate(
            cipher, nil, &length, additionalData, Int32(additionalData.count)) == 1
    }
}
