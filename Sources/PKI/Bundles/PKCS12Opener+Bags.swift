internal import COpenSSL

/// What lies in the parts of a file once they are open.
extension PKCS12Opener {
    mutating func read(_ bags: OpaquePointer, depth: Int) throws(PKIError) {
        guard depth < ForeignReader.nestingLimit else {
            throw .nestedTooDeeply(limit: ForeignReader.nestingLimit)
        }
        for index in 0..<max(0, unsafe purser_bags_count(bags)) {
            guard let bag = unsafe purser_bags_get0(bags, index) else { continue }
            unsafe bagsSeen += 1
            guard unsafe bagsSeen <= room else {
                throw .tooManyItems(limit: ForeignReader.itemLimit)
            }
            let place = unsafe "bag \(bagsSeen) of \(title)"
            try unsafe attempt(place) { opener throws(PKIError) in
                try unsafe opener.read(bag: bag, at: place, depth: depth)
            }
        }
    }

    private mutating func read(
        bag: OpaquePointer, at place: String, depth: Int
    ) throws(PKIError) {
        switch unsafe PKCS12_SAFEBAG_get_nid(bag) {
        case NID_keyBag:
            guard let plain = unsafe PKCS12_SAFEBAG_get0_p8inf(bag) else {
                throw .malformedBundle("a key in it is empty", .drain())
            }
            try unsafe add(plain, in: bag, at: place, nil)
        case NID_pkcs8ShroudedKeyBag:
            try unsafe addEncryptedKey(bag, at: place)
        case NID_certBag where unsafe PKCS12_SAFEBAG_get_bag_nid(bag) == NID_x509Certificate:
            guard let handle = unsafe PKCS12_SAFEBAG_get1_cert(bag) else {
                throw .notACertificate(.drain())
            }
            let certificate = try unsafe Certificate(takingOwnershipOf: handle)
            guard unsafe !contents.certificates.contains(where: { $0.value == certificate }) else {
                return
            }
            unsafe contents.certificates.append(
                .init(
                    value: certificate, place: place, name: Self.friendlyName(of: bag),
                    protection: nil))
        case NID_safeContentsBag:
            guard let inner = unsafe PKCS12_SAFEBAG_get0_safes(bag) else { return }
            try unsafe read(inner, depth: depth + 1)
        default:
            // CRLs, secrets and SDSI certificates are of no use here.
            unsafe contents.warn(
                "\(place) is neither a key nor a certificate, and was passed over")
        }
    }

    private mutating func addEncryptedKey(
        _ bag: OpaquePointer, at place: String
    ) throws(PKIError) {
        guard let encrypted = unsafe PKCS12_SAFEBAG_get0_pkcs8(bag) else {
            throw .malformedBundle("a key in it is empty", .drain())
        }
        var algorithm: UnsafePointer<X509_ALGOR>?
        unsafe X509_SIG_get0(encrypted, &algorithm, nil)
        var context: OpaquePointer?
        if case .foreign(let library, _) = unsafe rules { unsafe context = library.context }
        let (plain, protection) = try unsafe decrypt("key", algorithm) { text, count in
            unsafe PKCS12_decrypt_skey_ex(bag, text, count, context, nil)
        }
        // Wipes the encoded key.
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(plain) }
        try unsafe add(plain, in: bag, at: place, protection)
    }

    private mutating func add(
        _ plain: OpaquePointer, in bag: OpaquePointer, at place: String,
        _ protection: ForeignProtection?
    ) throws(PKIError) {
        // In the default context: the key is used long after this file.
        guard let handle = unsafe EVP_PKCS82PKEY(plain) else {
            throw .notAPrivateKey(.drain())
        }
        OpenSSLReasons.forget()
        let key = try unsafe PrivateKey(takingOwnershipOf: handle)
        // There may be many, and large ones.
        if case .foreign = unsafe rules { try unsafe budget.spend(key.proofCost) }
        try key.proveHalves()
        unsafe contents.keys.append(
            .init(
                value: key, place: place, name: Self.friendlyName(of: bag), protection: protection))
    }

    private static func friendlyName(of bag: OpaquePointer) -> String? {
        guard let text = unsafe PKCS12_get_friendlyname(bag) else { return nil }
        defer { unsafe purser_free(text) }
        return unsafe String(cString: text)
    }
}
