internal import COpenSSL

/// Certificates in an envelope of their own (PKCS#7, RFC 2315; a `.p7b` from a portal or browser).
enum CertificateEnvelope {
    /// The certificates in a message, DER or BER, in the file's order; signatures are not looked at.
    ///
    /// - Throws: ``PKIError/malformedMessage(_:)``; ``PKIError/unsupportedBundle(_:)`` for a message
    ///   that holds none; ``PKIError/tooManyItems(limit:)``.
    static func certificates(in der: [UInt8]) throws(PKIError) -> [Certificate] {
        OpenSSLReasons.forget()
        defer { OpenSSLReasons.forget() }
        var message: UnsafeMutablePointer<PKCS7>?
        unsafe der.withUnsafeBufferPointer { buffer in
            var position = buffer.baseAddress
            unsafe message = d2i_PKCS7(nil, &position, buffer.count)
        }
        guard let message = unsafe message else { throw .malformedMessage(.drain()) }
        defer { unsafe PKCS7_free(message) }
        guard let stack = unsafe purser_pkcs7_certificates0(message) else {
            throw .unsupportedBundle("PKCS#7 without certificates")
        }
        let count = max(0, unsafe purser_certificates_count(stack))
        guard count <= ForeignReader.itemLimit else {
            throw .tooManyItems(limit: ForeignReader.itemLimit)
        }
        var certificates: [Certificate] = []
        for index in 0..<count {
            guard let handle = unsafe purser_certificates_get0(stack, index) else { continue }
            certificates.append(try unsafe Certificate(retaining: handle))
        }
        return certificates
    }
}
