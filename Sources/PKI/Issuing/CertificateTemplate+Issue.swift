internal import COpenSSL
internal import Clocks

extension CertificateTemplate {
    /// Makes the certificate, signed with SHA-256 by `issuerKey`; self-signed where `issuer` is nil.
    ///
    /// - Throws: ``PKIError/malformedTemplate(_:)`` for what cannot be encoded,
    ///   ``PKIError/keyDoesNotFit`` where `issuerKey` is not the issuer's.
    package func issue(
        issuer: Certificate?, issuerKey: PrivateKey
    ) throws(PKIError) -> Certificate {
        guard issuerKey.publicKey == issuer?.publicKey ?? publicKey else { throw .keyDoesNotFit }
        guard notBefore <= notAfter else { throw .malformedTemplate("it ends before it starts") }
        guard let first = serialNumber.first, first < 0x80, serialNumber.count <= 20 else {
            throw .malformedTemplate("the serial number is not positive, or longer than 20 bytes")
        }
        OpenSSLReasons.forget()
        guard let certificate = unsafe X509_new() else {
            throw .library("make a certificate", .drain())
        }
        defer { unsafe X509_free(certificate) }
        try unsafe setNames(of: certificate, issuer: issuer)
        try unsafe setNumberAndDates(of: certificate)
        try unsafe publicKey.withHandle { key throws(PKIError) in
            guard unsafe X509_set_pubkey(certificate, key) == 1 else {
                throw .library("make a certificate", .drain())
            }
        }
        for item in try extensions(issuer: issuerKey.publicKey) {
            try unsafe Self.add(item, to: certificate)
        }
        try unsafe issuerKey.withHandle { key throws(PKIError) in
            guard unsafe X509_sign(certificate, key, EVP_sha256()) > 0 else {
                throw .library("sign a certificate", .drain())
            }
        }
        guard let der = unsafe encoded({ unsafe i2d_X509(certificate, $0) }) else {
            throw .library("make a certificate", .drain())
        }
        return try Certificate(der: der)
    }

    private func setNames(
        of certificate: OpaquePointer, issuer: Certificate?
    ) throws(PKIError) {
        let subjectName = try unsafe subject.makeHandle()
        defer { unsafe X509_NAME_free(subjectName) }
        var isSet = unsafe X509_set_subject_name(certificate, subjectName) == 1
        // The issuer's name is copied as it is encoded there, not rendered anew.
        isSet = unsafe isSet && X509_set_issuer_name(certificate, subjectName) == 1
        try unsafe issuer?.withHandle { authority throws(PKIError) in
            let name = unsafe X509_get_subject_name(authority)
            isSet = unsafe isSet && X509_set_issuer_name(certificate, name) == 1
        }
        guard isSet else { throw .library("make a certificate", .drain()) }
    }

    private func setNumberAndDates(of certificate: OpaquePointer) throws(PKIError) {
        guard let number = unsafe BN_bin2bn(serialNumber, Int32(serialNumber.count), nil) else {
            throw .library("make a certificate", .drain())
        }
        defer { unsafe BN_free(number) }
        // Version 2 is what RFC 5280 calls v3. ASN1_TIME_set chooses UTCTime until 2049.
        guard unsafe X509_set_version(certificate, 2) == 1,
            unsafe BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil,
            unsafe ASN1_TIME_set(X509_getm_notBefore(certificate), Int(notBefore.seconds)) != nil,
            unsafe ASN1_TIME_set(X509_getm_notAfter(certificate), Int(notAfter.seconds)) != nil
        else { throw .library("make a certificate", .drain()) }
    }

    private static func add(
        _ item: Certificate.Extension, to certificate: OpaquePointer
    ) throws(PKIError) {
        guard let object = unsafe OBJ_txt2obj(item.oid, 1) else {
            OpenSSLReasons.forget()
            throw .malformedTemplate("an extension's object identifier is none")
        }
        defer { unsafe ASN1_OBJECT_free(object) }
        guard let value = unsafe ASN1_OCTET_STRING_new() else {
            throw .library("make a certificate", .drain())
        }
        defer { unsafe ASN1_OCTET_STRING_free(value) }
        guard unsafe ASN1_OCTET_STRING_set(value, item.value, Int32(item.value.count)) == 1 else {
            throw .library("make a certificate", .drain())
        }
        let made = unsafe X509_EXTENSION_create_by_OBJ(
            nil, object, item.isCritical ? 1 : 0, value)
        defer { unsafe X509_EXTENSION_free(made) }
        guard let made = unsafe made, unsafe X509_add_ext(certificate, made, -1) == 1 else {
            throw .library("make a certificate", .drain())
        }
    }
}
