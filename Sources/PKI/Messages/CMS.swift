internal import COpenSSL
package import Clocks

/// Signatures over bytes that travel beside them (CMS, RFC 5652), as Apple signs merchant sessions.
package enum CMS {
    /// What a signature says, once it is known to be the signer's.
    package struct Signed: Sendable {
        /// Whose key signed; its chain is for the caller to judge, at ``signingTime``.
        package let signer: Certificate
        /// All certificates in the message, the signer's among them; not trusted.
        package let certificates: [Certificate]
        /// When the signer says to have signed; nil where it does not say.
        package let signingTime: Timestamp?
    }

    /// The most bytes that are read as one message.
    package static let sizeLimit = 262_144

    /// Checks that the one signature in `message` (DER or BER) is over `content`.
    ///
    /// It says who signed, not whether that signer is trusted: give the result's certificates to
    /// ``TrustStore/verify(_:intermediates:at:)``.
    ///
    /// - Throws: ``PKIError/malformedMessage(_:)``, also for content inside, no signer or several;
    ///   ``PKIError/signatureInvalid(_:)``; ``PKIError/tooLarge(_:limit:)``.
    package static func verifyDetached(
        _ message: [UInt8], content: [UInt8]
    ) throws(PKIError) -> Signed {
        try verify(message, content: content).signed
    }

    /// Checks that the one signature in `message` (DER or BER) is over the content inside it, and
    /// gives that content.
    ///
    /// As to who signed, see ``verifyDetached(_:content:)``.
    ///
    /// - Throws: as ``verifyDetached(_:content:)``, ``PKIError/malformedMessage(_:)`` also for a
    ///   message without content.
    package static func verifyAttached(
        _ message: [UInt8]
    ) throws(PKIError) -> (signed: Signed, content: [UInt8]) {
        try verify(message, content: nil)
    }

    private static func verify(
        _ message: [UInt8], content: [UInt8]?
    ) throws(PKIError) -> (signed: Signed, content: [UInt8]) {
        guard message.count <= sizeLimit else { throw .tooLarge("message", limit: sizeLimit) }
        OpenSSLReasons.forget()
        let (parsed, used) = unsafe decoded(message) { unsafe d2i_CMS_ContentInfo(nil, $0, $1) }
        guard let parsed = unsafe parsed else { throw .malformedMessage(.drain()) }
        defer { unsafe CMS_ContentInfo_free(parsed) }
        guard used == message.count else { throw .trailingBytes(after: "message") }
        guard unsafe OBJ_obj2nid(CMS_get0_type(parsed)) == NID_pkcs7_signed,
            unsafe CMS_is_detached(parsed) == (content == nil ? 0 : 1)
        else { throw .malformedMessage(.drain()) }
        let signers = unsafe CMS_get0_SignerInfos(parsed)
        guard unsafe purser_signers_count(signers) == 1,
            let signer = unsafe purser_signers_get0(signers, 0)
        else { throw .malformedMessage(.drain()) }
        let signed = try unsafe verifiedContent(of: parsed, beside: content)
        var found: OpaquePointer?
        unsafe CMS_SignerInfo_get0_algs(signer, nil, &found, nil, nil)
        guard let signed, let found = unsafe found else { throw .signatureInvalid(.drain()) }
        defer { OpenSSLReasons.forget() }
        return try unsafe (
            Signed(
                signer: Certificate(retaining: found), certificates: certificates(in: parsed),
                signingTime: signingTime(of: signer)),
            signed
        )
    }

    /// What the signature is over; nil where it is over something else.
    private static func verifiedContent(
        of message: OpaquePointer, beside content: [UInt8]?
    ) throws(PKIError) -> [UInt8]? {
        let flags = UInt32(CMS_BINARY | CMS_NO_SIGNER_CERT_VERIFY)
        if let content {
            let isVerified = unsafe withContent(content) { input in
                unsafe CMS_verify(message, nil, nil, input, nil, flags) == 1
            }
            return isVerified ? content : nil
        }
        guard let output = unsafe BIO_new(BIO_s_mem()) else {
            throw .library("read a message", .drain())
        }
        defer { unsafe BIO_free(output) }
        guard unsafe CMS_verify(message, nil, nil, nil, output, flags) == 1 else { return nil }
        var start: UnsafeMutablePointer<CChar>?
        let count = unsafe purser_bio_contents(output, &start)
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: max(0, count)))
    }

    private static func signingTime(of signer: OpaquePointer) -> Timestamp? {
        let index = unsafe CMS_signed_get_attr_by_NID(signer, NID_pkcs9_signingTime, -1)
        guard index >= 0, let attribute = unsafe CMS_signed_get_attr(signer, index) else {
            return nil
        }
        for type in [V_ASN1_UTCTIME, V_ASN1_GENERALIZEDTIME] {
            if let time = unsafe X509_ATTRIBUTE_get0_data(attribute, 0, type, nil) {
                return unsafe CertificateFields.moment(
                    UnsafePointer(time.assumingMemoryBound(to: ASN1_TIME.self)))
            }
        }
        return nil
    }

    private static func certificates(
        in message: OpaquePointer
    ) throws(PKIError) -> [Certificate] {
        guard let stack = unsafe CMS_get1_certs(message) else { return [] }
        defer { unsafe purser_certificates_free(stack) }
        var all: [Certificate] = []
        for index in 0..<max(0, unsafe purser_certificates_count(stack)) {
            guard let found = unsafe purser_certificates_get0(stack, index) else { continue }
            all.append(try unsafe Certificate(retaining: found))
        }
        return all
    }

    /// Lends `content` as OpenSSL reads it.
    static func withContent(
        _ content: [UInt8], _ body: (OpaquePointer) -> Bool
    ) -> Bool {
        // An empty array may have no address, which OpenSSL would refuse.
        let bytes = content.isEmpty ? [0] : content
        return unsafe bytes.withUnsafeBytes { buffer in
            let input = unsafe BIO_new_mem_buf(buffer.baseAddress, Int32(content.count))
            guard let input = unsafe input else {
                return false
            }
            defer { unsafe BIO_free(input) }
            return unsafe body(input)
        }
    }
}
