internal import COpenSSL
package import Secrets

/// HMAC with SHA-256 (RFC 2104): what guards records that are not secret but must not be changed.
package enum HMACSHA256 {
    /// The 32-byte code of `data` under `key`.
    package static func authenticate(_ data: [UInt8], key: SecretBytes) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: SHA256.count)
        var length = 0
        let made = unsafe key.withUnsafeBytes { key in
            unsafe EVP_Q_mac(
                nil, "HMAC", nil, "SHA256", nil, key.baseAddress, key.count, data, data.count,
                &code, code.count, &length)
        }
        precondition(
            unsafe made != nil && length == code.count,
            "HMAC-SHA256 is missing from OpenSSL's default provider")
        return code
    }

    /// Whether `code` is that of `data` under `key`; takes the same time wherever they differ.
    package static func isValid(_ code: [UInt8], for data: [UInt8], key: SecretBytes) -> Bool {
        let expected = authenticate(data, key: key)
        return unsafe code.count == expected.count
            && CRYPTO_memcmp(code, expected, expected.count) == 0
    }
}
