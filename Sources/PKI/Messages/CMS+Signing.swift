internal import COpenSSL
package import Clocks

/// Making signed messages: serves the stand-in for Apple and the tests.
extension CMS {
    /// Signs `content` with SHA-256 and signed attributes, `moment` as signing time among them.
    ///
    /// DER; `certificate` and `chain` go inside, the content does not.
    ///
    /// - Throws: ``PKIError/keyDoesNotFit``, ``PKIError/library(_:_:)``.
    package static func signDetached(
        content: [UInt8], certificate: Certificate, chain: [Certificate], key: PrivateKey,
        at moment: Timestamp
    ) throws(PKIError) -> [UInt8] {
        try unsafe sign(
            content, certificate: certificate, chain: chain, key: key, at: moment,
            digest: EVP_sha256(), options: CMS_DETACHED)
    }

    /// Signs `content` with SHA-1 and signed attributes, as Apple's portal signs the association file
    /// of a domain: the content goes inside, too.
    ///
    /// - Throws: as ``signDetached(content:certificate:chain:key:at:)``.
    package static func signAttached(
        content: [UInt8], certificate: Certificate, chain: [Certificate], key: PrivateKey,
        at moment: Timestamp
    ) throws(PKIError) -> [UInt8] {
        try unsafe sign(
            content, certificate: certificate, chain: chain, key: key, at: moment,
            digest: EVP_sha1(), options: 0)
    }

    private static func sign(
        _ content: [UInt8], certificate: Certificate, chain: [Certificate], key: PrivateKey,
        at moment: Timestamp, digest: OpaquePointer?, options: Int32
    ) throws(PKIError) -> [UInt8] {
        guard key.publicKey == certificate.publicKey else { throw .keyDoesNotFit }
        OpenSSLReasons.forget()
        let flags = UInt32(options | CMS_BINARY | CMS_PARTIAL | CMS_NOSMIMECAP)
        guard let message = unsafe CMS_sign(nil, nil, nil, nil, flags) else {
            throw .library("sign a message", .drain())
        }
        defer { unsafe CMS_ContentInfo_free(message) }
        let signer: OpaquePointer? = unsafe certificate.withHandle { certificate in
            unsafe key.withHandle { key in
                unsafe CMS_add1_signer(message, certificate, key, digest, flags)
            }
        }
        guard let signer = unsafe signer else { throw .library("sign a message", .drain()) }
        try unsafe set(signingTime: moment, of: signer)
        for link in chain {
            let isAdded = unsafe link.withHandle { unsafe CMS_add1_cert(message, $0) == 1 }
            guard isAdded else { throw .library("sign a message", .drain()) }
        }
        let isSigned = unsafe withContent(content) { input in
            unsafe CMS_final(message, input, nil, flags) == 1
        }
        guard isSigned, let der = unsafe encoded({ unsafe i2d_CMS_ContentInfo(message, $0) })
        else { throw .library("sign a message", .drain()) }
        return der
    }

    private static func set(
        signingTime moment: Timestamp, of signer: OpaquePointer
    ) throws(PKIError) {
        guard let time = unsafe ASN1_TIME_set(nil, Int(moment.seconds)) else {
            throw .library("sign a message", .drain())
        }
        defer { unsafe ASN1_TIME_free(time) }
        let isSet = unsafe CMS_signed_add1_attr_by_NID(
            signer, NID_pkcs9_signingTime, time.pointee.type, time, -1)
        guard isSet == 1 else { throw .library("sign a message", .drain()) }
    }
}
