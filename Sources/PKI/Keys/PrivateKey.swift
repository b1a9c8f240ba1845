internal import COpenSSL

/// A private key, held by OpenSSL and wiped by it when the last owner lets go.
///
/// It leaves as ``Secrets/SecretBytes`` only, and prints as `‹private key›`. Signing with one key
/// from several threads is safe: OpenSSL locks what it caches inside.
@safe package final class PrivateKey: Sendable {
    package let publicKey: PublicKey

    // EVP_PKEY is reference counted and not changed after this initialiser, and OpenSSL promises
    // that operations on a shared one may run in parallel (man 7 openssl-threads).
    private nonisolated(unsafe) let handle: OpaquePointer

    init(takingOwnershipOf handle: OpaquePointer) throws(PKIError) {
        do {
            publicKey = try unsafe PublicKey(of: handle)
        } catch {
            // The handle is not stored yet, so deinit does not run.
            unsafe EVP_PKEY_free(handle)
            throw error
        }
        unsafe self.handle = handle
    }

    deinit {
        unsafe EVP_PKEY_free(handle)
    }

    /// Makes a new key: RSA 2048 with exponent 65537, or EC on the named curve P-256.
    ///
    /// - Throws: ``PKIError/unsupportedKey(_:)`` for any other sort.
    package static func generate(_ algorithm: KeyAlgorithm) throws(PKIError) -> PrivateKey {
        OpenSSLReasons.forget()
        let made: OpaquePointer?
        switch algorithm {
        case .rsa2048: unsafe made = purser_rsa_context()
        case .ecP256: unsafe made = purser_ec_context()
        default: throw .unsupportedKey(algorithm.description)
        }
        guard let context = unsafe made else { throw .library("make a key", .drain()) }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var ready = unsafe EVP_PKEY_keygen_init(context) > 0
        // The public exponent is 65537 and the curve is encoded by its name unless told otherwise.
        ready =
            ready
            && (algorithm == .rsa2048
                ? unsafe EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048) > 0
                : unsafe EVP_PKEY_CTX_set_group_name(context, "P-256") > 0)
        var handle: OpaquePointer?
        guard ready, unsafe EVP_PKEY_generate(context, &handle) > 0, let handle = unsafe handle
        else { throw .library("make a key", .drain()) }
        return try unsafe PrivateKey(takingOwnershipOf: handle)
    }

    /// Signs `message` with SHA-256: PKCS#1 v1.5 for RSA, a DER `ECDSA-Sig-Value` for EC.
    package func sign(_ message: [UInt8]) throws(PKIError) -> [UInt8] {
        OpenSSLReasons.forget()
        guard let context = unsafe EVP_MD_CTX_new() else { throw .library("sign", .drain()) }
        defer { unsafe EVP_MD_CTX_free(context) }
        return try unsafe withHandle { key throws(PKIError) in
            var length = 0
            guard unsafe EVP_DigestSignInit_ex(context, nil, "SHA256", nil, nil, key, nil) == 1,
                unsafe EVP_DigestSign(context, nil, &length, message, message.count) == 1
            else { throw .library("sign", .drain()) }
            var signature = [UInt8](repeating: 0, count: length)
            guard unsafe EVP_DigestSign(context, &signature, &length, message, message.count) == 1
            else { throw .library("sign", .drain()) }
            // An ECDSA signature may be shorter than announced.
            return Array(signature.prefix(length))
        }
    }

    /// Lends OpenSSL's object for the time of `body`.
    func withHandle<Result, Failure: Error>(
        _ body: (OpaquePointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        return try unsafe body(handle)
    }
}

extension PublicKey {
    /// Whether `signature` is this key's over `message` with SHA-256, in the forms of
    /// ``PrivateKey/sign(_:)``.
    package func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        OpenSSLReasons.forget()
        defer { OpenSSLReasons.forget() }
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        let verified = try? unsafe withHandle { key throws(PKIError) in
            unsafe EVP_DigestVerifyInit_ex(context, nil, "SHA256", nil, nil, key, nil) == 1
                && EVP_DigestVerify(context, signature, signature.count, message, message.count)
                    == 1
        }
        return verified ?? false
    }
}

// MARK: - Redaction

extension PrivateKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "‹private key›" }
    package var debugDescription: String { "‹private key›" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
