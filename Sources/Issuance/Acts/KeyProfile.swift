/// The form in which a key leaves the home with its certificate; always under a password.
package enum KeyProfile: String, Sendable, Hashable, CaseIterable {
    /// PKCS#12 as OpenSSL 3 writes it: PBES2 with PBKDF2-HMAC-SHA256 and AES-256-CBC.
    case modern
    /// PKCS#12 for old readers: SHA-1 and 3DES.
    case legacy
    /// The key as encrypted PKCS#8, then its certificate and the chain, all PEM.
    case pem

    /// Who reads it, for people.
    package var readers: String {
        switch self {
        case .modern: "OpenSSL 3, Java 17, current macOS and Windows"
        case .legacy:
            "OpenSSL 1, Java 8, old macOS Keychain and Windows; its SHA-1 and 3DES are weak"
        case .pem: "OpenSSL, nginx, Apache, curl and Python"
        }
    }
}
