internal import COpenSSL
package import Secrets

extension PrivateKey {
    /// The key as encrypted PKCS#8 PEM (`BEGIN ENCRYPTED PRIVATE KEY`, RFC 5958): PBES2 with
    /// PBKDF2-HMAC-SHA256, a salt of 16 bytes, and AES-256-CBC.
    ///
    /// - Throws: ``PKIError/parametersRefused(_:)`` for iterations outside
    ///   1…``PKCS12/iterationLimit``.
    package func encryptedPKCS8PEM(
        password: SecretBytes, iterations: Int
    ) throws(PKIError) -> String {
        guard (1...PKCS12.iterationLimit).contains(iterations) else {
            throw .parametersRefused("\(iterations) iterations")
        }
        OpenSSLReasons.forget()
        let plain = unsafe withHandle { unsafe EVP_PKEY2PKCS8($0) }
        guard let plain = unsafe plain else { throw .library("encrypt a key", .drain()) }
        // Wipes the encoded key.
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(plain) }
        // Without a scheme of PKCS#12's own (-1), OpenSSL uses PBES2 with HMAC-SHA256.
        let box = unsafe password.withUnsafeBytes { bytes in
            unsafe PKCS8_encrypt(
                -1, EVP_aes_256_cbc(), bytes.bindMemory(to: CChar.self).baseAddress,
                Int32(bytes.count), nil, PKCS12.Encryption.modern.saltCount, Int32(iterations),
                plain)
        }
        guard let box = unsafe box else { throw .library("encrypt a key", .drain()) }
        defer { unsafe X509_SIG_free(box) }
        guard let der = unsafe encoded({ unsafe i2d_X509_SIG(box, $0) }) else {
            throw .library("encrypt a key", .drain())
        }
        return PEMDocument.text(label: "ENCRYPTED PRIVATE KEY", der)
    }
}
