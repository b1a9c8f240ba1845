internal import COpenSSL
internal import Secrets

/// The code over a file, old and new, which tells a wrong password and a damaged file.
extension PKCS12Opener {
    /// Compares the code over the file (RFC 7292 §4, MacData), which also tests the password.
    mutating func checkCode(of file: OpaquePointer) throws(PKIError) {
        guard unsafe PKCS12_mac_present(file) == 1 else {
            guard case .foreign = unsafe rules else {
                throw .unsupportedBundle("it has no code (MAC) over it")
            }
            unsafe contents.note(ForeignProtection(.noCode))
            unsafe contents.warn(
                "\(title) has no code (MAC) over it, so nothing proves that it is whole")
            return
        }
        unsafe hasCode = true
        var number: UnsafePointer<ASN1_INTEGER>?
        var code: UnsafePointer<ASN1_OCTET_STRING>?
        var algorithm: UnsafePointer<X509_ALGOR>?
        unsafe PKCS12_get0_mac(&code, &algorithm, nil, &number, file)
        var digest: OpaquePointer?
        unsafe X509_ALGOR_get0(&digest, nil, nil, algorithm)
        if case .foreign = unsafe rules, unsafe objectText(digest) == PBMAC1.oid {
            return try unsafe checkPBMAC1(algorithm, code, over: file)
        }
        guard unsafe EVP_get_digestbyname(OBJ_nid2sn(OBJ_obj2nid(digest))) != nil else {
            throw unsafe .unsupportedBundle("the code over it: \(algorithmName(algorithm))")
        }
        // An absent count is 1.
        var iterations: Int64 = 1
        if unsafe number != nil {
            guard unsafe ASN1_INTEGER_get_int64(&iterations, number) == 1, iterations > 0 else {
                throw .malformedBundle("its iteration count is none", .drain())
            }
        }
        let price = Int(clamping: iterations)
        unsafe contents.note(
            ForeignProtection(
                .code(digest: algorithmName(algorithm).uppercased()), iterations: price))
        try unsafe settle { opener, password throws(PKIError) in
            try unsafe opener.budget.spend(price)
            return unsafe PasswordSpellings.lend(password) { text, count in
                unsafe PKCS12_verify_mac(file, text, count) == 1
            }
        }
    }

    private mutating func checkPBMAC1(
        _ algorithm: UnsafePointer<X509_ALGOR>?, _ code: UnsafePointer<ASN1_OCTET_STRING>?,
        over file: OpaquePointer
    ) throws(PKIError) {
        guard let algorithm = unsafe algorithm, let code = unsafe code,
            let start = unsafe ASN1_STRING_get0_data(code),
            let description = unsafe encoded({ unsafe i2d_X509_ALGOR(algorithm, $0) }),
            let whole = unsafe encoded({ unsafe i2d_PKCS12(file, $0) }),
            let data = unsafe Self.authenticated(whole)
        else { throw .malformedBundle("the code over it cannot be read", .drain()) }
        let pbmac1 = try PBMAC1(algorithmIdentifier: description)
        let expected = unsafe Array(
            UnsafeBufferPointer(start: start, count: Int(ASN1_STRING_length(code))))
        unsafe contents.note(
            ForeignProtection(
                .pbmac1(digest: pbmac1.digest), iterations: pbmac1.derivation.iterations))
        try unsafe settle { opener, password throws(PKIError) in
            guard let password else { return false }
            try unsafe opener.budget.spend(pbmac1.derivation.iterations)
            return pbmac1.matches(expected, over: data, password: password)
        }
    }

    /// Tries each password against the code; those that do not match go behind the one that does.
    private mutating func settle(
        _ matches: (inout PKCS12Opener, SecretBytes?) throws(PKIError) -> Bool
    ) throws(PKIError) {
        for (index, password) in unsafe passwords.enumerated() {
            guard try unsafe matches(&self, password) else { continue }
            let found = unsafe passwords.remove(at: index)
            unsafe passwords.insert(found, at: 0)
            OpenSSLReasons.forget()
            return
        }
        let reasons = OpenSSLReasons.drain()
        guard reasons.reasons.isEmpty else {
            throw .malformedBundle("the code over it cannot be checked", reasons)
        }
        if case .foreign(_, hasPassword: false) = unsafe rules {
            throw .passwordNeeded("PKCS#12 file")
        }
        throw .wrongPassword
    }

    /// What the code is over: the content of the OCTET STRING in the first part (RFC 7292 §5.1).
    private static func authenticated(_ der: [UInt8]) -> [UInt8]? {
        var outer = DERReader(der)
        guard let file = try? outer.next() else { return nil }
        var fields = DERReader(file.content)
        guard (try? fields.next())?.tag == 0x02, let part = try? fields.next() else { return nil }
        var parts = DERReader(part.content)
        guard (try? parts.next())?.tag == 0x06, let tagged = try? parts.next() else { return nil }
        var inner = DERReader(tagged.content)
        guard let octets = try? inner.next(), octets.tag == 0x04 else { return nil }
        return Array(octets.content)
    }
}
