internal import COpenSSL

extension PKCS12 {
    /// What protects a file that is made; either way the same for the key and the certificates.
    package enum Encryption: Sendable {
        /// PBES2 with PBKDF2-HMAC-SHA256 and AES-256-CBC, HMAC-SHA256 over all.
        case modern
        /// PKCS#12's own scheme with SHA-1 and three-key 3DES, HMAC-SHA1 over all (RFC 7292,
        /// appendix C): the strongest that old readers know. Never RC2, which anybody breaks.
        case legacy

        /// What OpenSSL takes for the encryption of a bag or a safe.
        ///
        /// Given a cipher rather than a scheme, it uses PBES2 with HMAC-SHA256.
        var identifier: Int32 {
            switch self {
            case .modern: NID_aes_256_cbc
            case .legacy: NID_pbe_WithSHA1And3_Key_TripleDES_CBC
            }
        }

        /// Bytes of each salt; old readers may expect eight.
        var saltCount: Int32 {
            switch self {
            case .modern: 16
            case .legacy: 8
            }
        }

        /// The digest of the code over all.
        var digest: OpaquePointer? {
            switch self {
            case .modern: unsafe EVP_sha256()
            case .legacy: unsafe EVP_sha1()
            }
        }
    }
}
