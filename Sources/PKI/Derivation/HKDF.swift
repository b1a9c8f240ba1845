internal import COpenSSL
package import Secrets

/// HKDF with SHA-256 (RFC 5869): one strong secret made into many that do not tell on each other.
package enum HKDF {
    /// `count` bytes for the use that `info` names, from `key`, which must be strong already.
    ///
    /// Not for passphrases: see ``Scrypt``. Extracts and expands; an empty `salt` is the RFC's
    /// string of zeros. Traps for an empty key and for more than 8,160 bytes, which are mistakes
    /// in the program and not in its input.
    package static func sha256(
        key: SecretBytes, salt: [UInt8], info: [UInt8], count: Int
    ) -> SecretBytes {
        precondition(key.count > 0 && (1...255 * SHA256.count).contains(count))
        var isMade = false
        let derived = unsafe SecretBytes(count: count) { output in
            isMade = unsafe derive(key: key, salt: salt, info: info, into: output)
        }
        precondition(isMade, "HKDF is missing from OpenSSL's default provider")
        return derived
    }

    private static func derive(
        key: SecretBytes, salt: [UInt8], info: [UInt8], into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard let context = unsafe purser_hkdf_context() else { return false }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        guard unsafe EVP_PKEY_derive_init(context) == 1,
            unsafe EVP_PKEY_CTX_set_hkdf_md(context, EVP_sha256()) == 1
        else { return false }
        let hasKey = unsafe key.withUnsafeBytes { bytes in
            unsafe EVP_PKEY_CTX_set1_hkdf_key(
                context, bytes.bindMemory(to: UInt8.self).baseAddress, Int32(bytes.count)) == 1
        }
        guard hasKey,
            unsafe salt.isEmpty
                || EVP_PKEY_CTX_set1_hkdf_salt(context, salt, Int32(salt.count)) == 1,
            unsafe info.isEmpty
                || EVP_PKEY_CTX_add1_hkdf_info(context, info, Int32(info.count)) == 1
        else { return false }
        var length = output.count
        let start = unsafe output.bindMemory(to: UInt8.self).baseAddress
        return unsafe EVP_PKEY_derive(context, start, &length) == 1 && length == output.count
    }
}
