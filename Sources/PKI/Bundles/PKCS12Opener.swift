internal import COpenSSL
internal import Secrets

/// Walks through one PKCS#12 file, gathering what is inside; lives for one call.
@unsafe struct PKCS12Opener {
    /// What is taken, and what is made of a part that cannot be read.
    enum Rules {
        /// Files of our own: modern encryption, a code over it, and everything or nothing.
        case ours
        /// Anybody's: old encryption through the library's legacy provider, and without a code
        /// where need be. A part that cannot be read does not spoil the rest.
        case foreign(LegacyLibrary, hasPassword: Bool)
    }

    private(set) var budget: IterationBudget
    private(set) var contents: ForeignContents
    /// The one that matched the code first; nil is "no password", which is not the empty one.
    private var passwords: [SecretBytes?]
    private let rules: Rules
    /// `the PKCS#12 file`, for the places of what is found.
    private let title: String
    private let room: Int
    private var bagsSeen = 0
    private var hasCode = false

    init(
        passwords: [SecretBytes?], budget: IterationBudget, rules: Rules, title: String, room: Int
    ) {
        unsafe self.passwords = passwords
        unsafe self.budget = budget
        unsafe self.rules = rules
        unsafe self.title = title
        unsafe self.room = room
        unsafe contents = ForeignContents(description: title)
    }

    /// Decodes `bytes` and lends the file for the time of `body`.
    ///
    /// Every fetch of an algorithm for it is then made in `library`; nil is the default one.
    static func withFile(
        _ bytes: [UInt8], in library: LegacyLibrary?,
        _ body: (OpaquePointer) throws(PKIError) -> Void
    ) throws(PKIError) {
        OpenSSLReasons.forget()
        defer { OpenSSLReasons.forget() }
        // An object made in a context keeps it when it is read into (man 3 PKCS12_init_ex). Where
        // reading fails, OpenSSL frees it.
        var target: OpaquePointer?
        if let library {
            unsafe target = PKCS12_init_ex(NID_pkcs7_data, library.context, nil)
        }
        let (file, used) = unsafe decoded(bytes) { unsafe d2i_PKCS12(&target, $0, $1) }
        guard let file = unsafe file else { throw .malformedBundle("it is none", .drain()) }
        defer { unsafe PKCS12_free(file) }
        let rest = bytes[used...]
        guard rest.isEmpty || library != nil && rest.allSatisfy(ForeignText.isPadding) else {
            throw .trailingBytes(after: "PKCS#12 file")
        }
        try unsafe body(file)
    }

    /// Opens `file`, which is borrowed.
    mutating func open(_ file: OpaquePointer) throws(PKIError) {
        do throws(PKIError) {
            try unsafe checkCode(of: file)
        } catch {
            unsafe noteEncryption(of: file)
            throw error
        }
        guard let safes = unsafe PKCS12_unpack_authsafes(file) else {
            throw .malformedBundle("its contents cannot be read", .drain())
        }
        defer { unsafe purser_safes_free(safes) }
        for index in 0..<max(0, unsafe purser_safes_count(safes)) {
            guard let safe = unsafe purser_safes_get0(safes, index) else { continue }
            if case .foreign = unsafe rules, unsafe purser_safe_is_data(safe) == 0,
                unsafe purser_safe_is_encrypted(safe) == 0
            {
                unsafe contents.warn(
                    "part \(index + 1) of \(title) is encrypted to a public key, and was passed over"
                )
                continue
            }
            try unsafe attempt("part \(index + 1) of \(title)") { opener throws(PKIError) in
                let bags = try unsafe opener.openSafe(safe)
                defer { unsafe purser_bags_free(bags) }
                try unsafe opener.read(bags, depth: 0)
            }
        }
    }

    private mutating func attempt(
        _ place: String, _ body: (inout PKCS12Opener) throws(PKIError) -> Void
    ) throws(PKIError) {
        do throws(PKIError) {
            try unsafe body(&self)
        } catch {
            // A price that was refused once is not offered again part by part.
            guard case .foreign = unsafe rules, error.code != "pki.bundle-too-costly",
                error.code != "pki.too-many-items"
            else { throw error }
            unsafe contents.problems.append(.init(place: place, error: error))
        }
    }

    // MARK: - The code over the file

    /// Compares the code over the file (RFC 7292 §4, MacData), which also tests the password.
    private mutating func checkCode(of file: OpaquePointer) throws(PKIError) {
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

    // MARK: - Parts

    /// Notes how the parts are encrypted, as far as that is told without a password.
    private mutating func noteEncryption(of file: OpaquePointer) {
        defer { OpenSSLReasons.forget() }
        guard let safes = unsafe PKCS12_unpack_authsafes(file) else { return }
        defer { unsafe purser_safes_free(safes) }
        for index in 0..<min(16, max(0, unsafe purser_safes_count(safes))) {
            guard let safe = unsafe purser_safes_get0(safes, index),
                let encryption = unsafe PasswordBasedEncryption(purser_safe_algorithm0(safe))
            else { continue }
            unsafe contents.note(encryption.protection)
        }
    }

    /// The bags of one safe, which the caller frees.
    private mutating func openSafe(
        _ safe: UnsafeMutablePointer<PKCS7>
    ) throws(PKIError) -> OpaquePointer {
        if unsafe purser_safe_is_data(safe) == 1 {
            guard let bags = unsafe PKCS12_unpack_p7data(safe) else {
                throw .malformedBundle("a part of it cannot be read", .drain())
            }
            return unsafe bags
        }
        guard unsafe purser_safe_is_encrypted(safe) == 1 else {
            throw .unsupportedBundle("a part encrypted to a public key")
        }
        return try unsafe decrypt("part", purser_safe_algorithm0(safe)) { text, count in
            unsafe PKCS12_unpack_p7encdata(safe, text, count)
        }.0
    }

    /// Tries the passwords, each for its price, until `body` gives something.
    private mutating func decrypt(
        _ part: String, _ algorithm: UnsafePointer<X509_ALGOR>?,
        _ body: (UnsafePointer<CChar>?, Int32) -> OpaquePointer?
    ) throws(PKIError) -> (OpaquePointer, ForeignProtection) {
        guard let encryption = unsafe PasswordBasedEncryption(algorithm) else {
            throw .malformedBundle("its encryption is not described", .drain())
        }
        unsafe contents.note(encryption.protection)
        switch unsafe rules {
        case .ours:
            guard encryption.isSupported, !encryption.needsLegacy, encryption.memory == 0 else {
                throw .unsupportedBundle(encryption.name)
            }
        case .foreign: _ = try encryption.library()
        }
        for password in unsafe passwords {
            try unsafe budget.spend(encryption.iterations)
            if let opened = unsafe PasswordSpellings.lend(password, body) {
                return unsafe (opened, encryption.protection)
            }
            // The code has told which one it is; others are for spellings that the code does not
            // tell apart.
            if case .ours = unsafe rules { break }
        }
        guard case .foreign(_, let hasPassword) = unsafe rules, unsafe !hasCode else {
            throw .malformedBundle("a \(part) in it cannot be decrypted", .drain())
        }
        throw hasPassword ? .cannotDecrypt("PKCS#12 file") : .passwordNeeded("PKCS#12 file")
    }

    // MARK: - Bags

    private mutating func read(_ bags: OpaquePointer, depth: Int) throws(PKIError) {
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
