internal import COpenSSL

/// A PKCS#10 request (RFC 2986): what is uploaded to Apple so that it certifies a key.
///
/// Apple ignores its subject and takes the public key alone.
package final class CertificateSigningRequest: Sendable {
    package let der: [UInt8]
    package let subject: DistinguishedName
    package let publicKey: PublicKey
    /// OpenSSL's name, such as `sha256WithRSAEncryption`.
    package let signatureAlgorithm: String

    /// The most bytes that are read as one request.
    package static let sizeLimit = 65_536

    /// Makes and signs (SHA-256) a request for `key`, without attributes.
    ///
    /// - Throws: ``PKIError/malformedName(_:)``.
    package static func make(
        subject: DistinguishedName, key: PrivateKey
    ) throws(PKIError) -> CertificateSigningRequest {
        OpenSSLReasons.forget()
        guard let request = unsafe X509_REQ_new() else {
            throw .library("make a request", .drain())
        }
        defer { unsafe X509_REQ_free(request) }
        let name = try unsafe subject.makeHandle()
        defer { unsafe X509_NAME_free(name) }
        try unsafe key.withHandle { key throws(PKIError) in
            // Version 0 is what RFC 2986 calls v1.
            guard unsafe X509_REQ_set_version(request, 0) == 1,
                unsafe X509_REQ_set_subject_name(request, name) == 1,
                unsafe X509_REQ_set_pubkey(request, key) == 1,
                unsafe X509_REQ_sign(request, key, EVP_sha256()) > 0
            else { throw .library("make a request", .drain()) }
        }
        guard let der = unsafe encoded({ unsafe i2d_X509_REQ(request, $0) }) else {
            throw .library("make a request", .drain())
        }
        return try unsafe CertificateSigningRequest(of: request, der: der)
    }

    /// Reads DER; throws ``PKIError/notARequest(_:)``, also for a key that cannot be read.
    package convenience init(der: [UInt8]) throws(PKIError) {
        guard der.count <= Self.sizeLimit else { throw .tooLarge("request", limit: Self.sizeLimit) }
        let request = unsafe try Self.parse(der)
        defer { unsafe X509_REQ_free(request) }
        try unsafe self.init(of: request, der: der)
    }

    /// Reads the one request in a PEM text.
    package convenience init(pem: [UInt8]) throws(PKIError) {
        let blocks = try PEMDocument(pem).blocks.filter {
            $0.label.hasSuffix("CERTIFICATE REQUEST")
        }
        guard let block = blocks.first else { throw .malformedPEM("it has no request") }
        guard blocks.count == 1 else { throw .malformedPEM("it has more than one request") }
        try self.init(der: block.der)
    }

    private init(of request: OpaquePointer, der: [UInt8]) throws(PKIError) {
        self.der = der
        subject = unsafe DistinguishedName(of: X509_REQ_get_subject_name(request))
        guard let field = unsafe X509_REQ_get_X509_PUBKEY(request) else {
            throw .notARequest(.drain())
        }
        publicKey = try unsafe PublicKey(inside: field)
        var algorithm: UnsafePointer<X509_ALGOR>?
        unsafe X509_REQ_get0_signature(request, nil, &algorithm)
        signatureAlgorithm = unsafe algorithmName(algorithm)
    }

    /// The request as PEM, 64 columns, as Apple's portal and API take it.
    package var pem: String { PEMDocument.text(label: "CERTIFICATE REQUEST", der) }

    /// Whether it is signed by the key that it is for, which proves possession of that key.
    package func verifySignature() -> Bool {
        defer { OpenSSLReasons.forget() }
        guard let request = unsafe try? Self.parse(der) else { return false }
        defer { unsafe X509_REQ_free(request) }
        guard let key = unsafe X509_REQ_get0_pubkey(request) else { return false }
        return unsafe X509_REQ_verify(request, key) == 1
    }

    private static func parse(_ der: [UInt8]) throws(PKIError) -> OpaquePointer {
        OpenSSLReasons.forget()
        let (request, used) = unsafe decoded(der) { unsafe d2i_X509_REQ(nil, $0, $1) }
        guard let request = unsafe request else { throw .notARequest(.drain()) }
        guard used == der.count else {
            unsafe X509_REQ_free(request)
            throw .trailingBytes(after: "request")
        }
        return unsafe request
    }
}
