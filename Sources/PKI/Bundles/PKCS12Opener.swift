internal import COpenSSL

/// Walks through one PKCS#12 file, gathering what is inside; lives for one call.
@unsafe struct PKCS12Opener {
    /// UTF-8 with its length; nil is PKCS#12's "no password", which is not the empty one.
    private var password: UnsafePointer<CChar>?
    private let count: Int32
    private var budget: IterationBudget
    private var keys: [PrivateKey] = []
    private var certificates: [Certificate] = []
    private var keyName: String?
    private var certificateName: String?

    init(password: UnsafePointer<CChar>?, count: Int32, budget: IterationBudget) {
        unsafe self.password = password
        unsafe self.count = count
        unsafe self.budget = budget
    }

    /// Opens `file`, which is borrowed.
    mutating func open(_ file: OpaquePointer) throws(PKIError) -> PKCS12.Contents {
        try unsafe checkCode(of: file)
        guard let safes = unsafe PKCS12_unpack_authsafes(file) else {
            throw .malformedBundle("its contents cannot be read", .drain())
        }
        defer { unsafe purser_safes_free(safes) }
        for index in 0..<max(0, unsafe purser_safes_count(safes)) {
            guard let safe = unsafe purser_safes_get0(safes, index) else { continue }
            let bags = try unsafe openSafe(safe)
            defer { unsafe purser_bags_free(bags) }
            try unsafe read(bags, depth: 0)
        }
        return unsafe PKCS12.Contents(
            keys: keys, certificates: certificates, friendlyName: keyName ?? certificateName)
    }

    /// Compares the code over the file (RFC 7292 §4, MacData), which also tests the password.
    private mutating func checkCode(of file: OpaquePointer) throws(PKIError) {
        guard unsafe PKCS12_mac_present(file) == 1 else {
            throw .unsupportedBundle("it has no code (MAC) over it")
        }
        var number: UnsafePointer<ASN1_INTEGER>?
        var algorithm: UnsafePointer<X509_ALGOR>?
        unsafe PKCS12_get0_mac(nil, &algorithm, nil, &number, file)
        var digest: OpaquePointer?
        unsafe X509_ALGOR_get0(&digest, nil, nil, algorithm)
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
        try unsafe budget.spend(Int(clamping: iterations))
        if unsafe matchesCode(of: file) { return }
        // "No password" and an empty one give different codes; tools write either for none.
        if unsafe count == 0 {
            unsafe password = nil
            try unsafe budget.spend(Int(clamping: iterations))
            if unsafe matchesCode(of: file) { return }
        }
        let reasons = OpenSSLReasons.drain()
        guard reasons.reasons.isEmpty else {
            throw .malformedBundle("the code over it cannot be checked", reasons)
        }
        throw .wrongPassword
    }

    private func matchesCode(of file: OpaquePointer) -> Bool {
        unsafe PKCS12_verify_mac(file, password, count) == 1
    }

    /// The bags of one safe, which the caller frees.
    private mutating func openSafe(
        _ safe: UnsafeMutablePointer<PKCS7>
    ) throws(PKIError) -> OpaquePointer {
        let bags: OpaquePointer?
        if unsafe purser_safe_is_data(safe) == 1 {
            unsafe bags = PKCS12_unpack_p7data(safe)
        } else if unsafe purser_safe_is_encrypted(safe) == 1 {
            try unsafe allow(purser_safe_algorithm0(safe))
            unsafe bags = PKCS12_unpack_p7encdata(safe, password, count)
        } else {
            throw .unsupportedBundle("a part encrypted to a public key")
        }
        guard let bags = unsafe bags else {
            throw .malformedBundle("a part of it cannot be read", .drain())
        }
        return unsafe bags
    }

    /// Refuses an encryption that is unknown or would take too long.
    private mutating func allow(_ algorithm: UnsafePointer<X509_ALGOR>?) throws(PKIError) {
        guard let algorithm = unsafe algorithm,
            let der = unsafe encoded({ unsafe i2d_X509_ALGOR(algorithm, $0) }),
            let encryption = PasswordBasedEncryption(algorithmIdentifier: der)
        else { throw .malformedBundle("its encryption is not described", .drain()) }
        guard encryption.isSupported else { throw .unsupportedBundle(encryption.name) }
        try unsafe budget.spend(encryption.iterations)
    }

    private mutating func read(_ bags: OpaquePointer, depth: Int) throws(PKIError) {
        guard depth < 4 else { throw .malformedBundle("its parts are nested too deeply", .drain()) }
        for index in 0..<max(0, unsafe purser_bags_count(bags)) {
            guard let bag = unsafe purser_bags_get0(bags, index) else { continue }
            switch unsafe PKCS12_SAFEBAG_get_nid(bag) {
            case NID_keyBag:
                guard let plain = unsafe PKCS12_SAFEBAG_get0_p8inf(bag) else {
                    throw .malformedBundle("a key in it is empty", .drain())
                }
                try unsafe add(plain, named: bag)
            case NID_pkcs8ShroudedKeyBag:
                try unsafe addEncryptedKey(bag)
            case NID_certBag where unsafe PKCS12_SAFEBAG_get_bag_nid(bag) == NID_x509Certificate:
                try unsafe addCertificate(bag)
            case NID_safeContentsBag:
                guard let inner = unsafe PKCS12_SAFEBAG_get0_safes(bag) else { continue }
                try unsafe read(inner, depth: depth + 1)
            default:
                // CRLs, secrets and SDSI certificates are of no use here.
                continue
            }
        }
    }

    private mutating func addEncryptedKey(_ bag: OpaquePointer) throws(PKIError) {
        guard let encrypted = unsafe PKCS12_SAFEBAG_get0_pkcs8(bag) else {
            throw .malformedBundle("a key in it is empty", .drain())
        }
        var algorithm: UnsafePointer<X509_ALGOR>?
        unsafe X509_SIG_get0(encrypted, &algorithm, nil)
        try unsafe allow(algorithm)
        guard let plain = unsafe PKCS12_decrypt_skey(bag, password, count) else {
            throw .malformedBundle("a key in it cannot be decrypted", .drain())
        }
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(plain) }
        try unsafe add(plain, named: bag)
    }

    private mutating func add(
        _ plain: OpaquePointer, named bag: OpaquePointer
    ) throws(PKIError) {
        guard let handle = unsafe EVP_PKCS82PKEY(plain) else {
            throw .notAPrivateKey(.drain())
        }
        OpenSSLReasons.forget()
        let key = try unsafe PrivateKey(takingOwnershipOf: handle)
        try key.proveHalves()
        unsafe keys.append(key)
        unsafe keyName = unsafe keyName ?? Self.friendlyName(of: bag)
    }

    private mutating func addCertificate(_ bag: OpaquePointer) throws(PKIError) {
        guard let handle = unsafe PKCS12_SAFEBAG_get1_cert(bag) else {
            throw .notACertificate(.drain())
        }
        let certificate = try unsafe Certificate(takingOwnershipOf: handle)
        guard unsafe !certificates.contains(certificate) else { return }
        unsafe certificates.append(certificate)
        unsafe certificateName = unsafe certificateName ?? Self.friendlyName(of: bag)
    }

    private static func friendlyName(of bag: OpaquePointer) -> String? {
        guard let text = unsafe PKCS12_get_friendlyname(bag) else { return nil }
        defer { unsafe purser_free(text) }
        return unsafe String(cString: text)
    }
}
