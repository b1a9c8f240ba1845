internal import COpenSSL

/// A public key as a plain value: its DER encoding, by which keys and certificates are matched.
///
/// Two are equal when their SubjectPublicKeyInfo is the same, byte for byte.
package struct PublicKey: Hashable, Sendable {
    /// DER of the SubjectPublicKeyInfo (RFC 5280 §4.1.2.7).
    package let subjectPublicKeyInfo: [UInt8]
    /// The sort of the key; `.other` also where OpenSSL cannot read it.
    package let algorithm: KeyAlgorithm
    /// SHA-256 of the DER: Apple's `publicKeyHash`, and the name of the key's files.
    package let sha256: [UInt8]

    /// Reads a DER SubjectPublicKeyInfo; throws ``PKIError/notAPublicKey(_:)``, also for more bytes
    /// behind it.
    package init(subjectPublicKeyInfo der: [UInt8]) throws(PKIError) {
        guard der.count <= Self.sizeLimit else {
            throw .tooLarge("public key", limit: Self.sizeLimit)
        }
        let handle = unsafe try Self.parse(der)
        defer { unsafe EVP_PKEY_free(handle) }
        self.init(der: der, algorithm: unsafe KeyAlgorithm(of: handle))
    }

    /// The public half of a key that OpenSSL holds; `handle` is borrowed.
    init(of handle: OpaquePointer) throws(PKIError) {
        OpenSSLReasons.forget()
        let der = unsafe encoded { unsafe i2d_PUBKEY(handle, $0) }
        guard let der else { throw .notAPublicKey(.drain()) }
        self.init(der: der, algorithm: unsafe KeyAlgorithm(of: handle))
    }

    /// The key inside a certificate or request, which may be of a sort that OpenSSL does not know.
    init(inside field: OpaquePointer) throws(PKIError) {
        OpenSSLReasons.forget()
        let der = unsafe encoded { unsafe i2d_X509_PUBKEY(field, $0) }
        guard let der else { throw .notAPublicKey(.drain()) }
        if let handle = unsafe X509_PUBKEY_get0(field) {
            self.init(der: der, algorithm: unsafe KeyAlgorithm(of: handle))
        } else {
            OpenSSLReasons.forget()
            var object: OpaquePointer?
            unsafe X509_PUBKEY_get0_param(&object, nil, nil, nil, field)
            self.init(der: der, algorithm: .other(unsafe objectText(object) ?? "unknown"))
        }
    }

    private init(der: [UInt8], algorithm: KeyAlgorithm) {
        subjectPublicKeyInfo = der
        self.algorithm = algorithm
        sha256 = SHA256.hash(der)
    }

    /// Lends the key as OpenSSL's object for the time of `body`.
    func withHandle<Result>(
        _ body: (OpaquePointer) throws(PKIError) -> Result
    ) throws(PKIError) -> Result {
        let handle = unsafe try Self.parse(subjectPublicKeyInfo)
        defer { unsafe EVP_PKEY_free(handle) }
        return try unsafe body(handle)
    }

    private static func parse(_ der: [UInt8]) throws(PKIError) -> OpaquePointer {
        OpenSSLReasons.forget()
        let (handle, used) = unsafe decoded(der) { unsafe d2i_PUBKEY(nil, $0, $1) }
        guard let handle = unsafe handle else { throw .notAPublicKey(.drain()) }
        guard used == der.count else {
            unsafe EVP_PKEY_free(handle)
            throw .trailingBytes(after: "public key")
        }
        return unsafe handle
    }

    private static let sizeLimit = 16_384
}
