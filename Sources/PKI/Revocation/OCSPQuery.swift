internal import COpenSSL

/// A question to an issuer whether it has revoked a certificate (RFC 6960), as it is posted.
///
/// It keeps what the answer must fit to: ``answer(in:at:)``.
package struct OCSPQuery: Sendable {
    package let certificate: Certificate
    package let issuer: Certificate
    /// The OCSPRequest, DER: the body of a POST of ``contentType``.
    package let der: [UInt8]

    package static let contentType = "application/ocsp-request"
    package static let answerType = "application/ocsp-response"

    /// Asks about `certificate`, which `issuer` has signed.
    ///
    /// The certificate is named by SHA-1 hashes of its issuer, because responders that index their
    /// answers know no other (RFC 5019 §2.1.1): they name and prove nothing. With a nonce, of 16
    /// bytes (RFC 8954 wants 1 to 32), an old answer cannot be played again where the responder
    /// repeats it.
    ///
    /// - Throws: ``OCSPError/notTheIssuer``.
    package init(
        about certificate: Certificate, issuedBy issuer: Certificate, withNonce: Bool = true
    ) throws(OCSPError) {
        guard certificate.isSigned(by: issuer) else { throw .notTheIssuer }
        self.certificate = certificate
        self.issuer = issuer
        OpenSSLReasons.forget()
        defer { OpenSSLReasons.forget() }
        guard let request = unsafe OCSP_REQUEST_new() else { throw Self.outOfMemory }
        defer { unsafe OCSP_REQUEST_free(request) }
        guard let name = unsafe Self.name(of: certificate, issuer) else { throw Self.outOfMemory }
        guard unsafe OCSP_request_add0_id(request, name) != nil else {
            unsafe OCSP_CERTID_free(name)
            throw Self.outOfMemory
        }
        guard unsafe !withNonce || OCSP_request_add1_nonce(request, nil, 16) == 1,
            let der = unsafe encoded({ unsafe i2d_OCSP_REQUEST(request, $0) })
        else { throw Self.outOfMemory }
        self.der = der
    }

    /// The certificate's name in requests and answers; the caller frees it.
    static func name(of certificate: Certificate, _ issuer: Certificate) -> OpaquePointer? {
        unsafe certificate.withHandle { certificate in
            unsafe issuer.withHandle { issuer in
                unsafe OCSP_cert_to_id(EVP_sha1(), certificate, issuer)
            }
        }
    }

    static var outOfMemory: OCSPError {
        .malformedAnswer("OpenSSL could not work on it", .drain())
    }
}

extension Certificate {
    /// Whether `issuer` is an authority that has signed this certificate itself; when it is valid
    /// is left out.
    package func isSigned(by issuer: Certificate) -> Bool {
        guard
            case .verified(let chain) = TrustStore(roots: [issuer]).verify(
                self, intermediates: [], at: nil)
        else { return false }
        return chain.count == 2 && chain[1] == issuer
    }
}
