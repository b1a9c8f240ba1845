internal import COpenSSL
internal import Secrets

/// Encrypted keys, in the two ways of encrypting one, and whole bundles.
extension ForeignWalk {
    /// Opens an EncryptedPrivateKeyInfo (RFC 5958 §3), trying each password for its price.
    mutating func readEncrypted(_ der: [UInt8], at place: String) throws(PKIError) {
        OpenSSLReasons.forget()
        defer { OpenSSLReasons.forget() }
        let (encrypted, used) = unsafe decoded(der) { unsafe d2i_X509_SIG(nil, $0, $1) }
        guard let encrypted = unsafe encrypted else { throw .notAPrivateKey(.drain()) }
        defer { unsafe X509_SIG_free(encrypted) }
        guard used == der.count else { throw .trailingBytes(after: "private key") }
        var algorithm: UnsafePointer<X509_ALGOR>?
        unsafe X509_SIG_get0(encrypted, &algorithm, nil)
        guard let encryption = unsafe PasswordBasedEncryption(algorithm) else {
            throw .unsupportedBundle(unsafe algorithmName(algorithm))
        }
        contents.note(encryption.protection)
        let library = try encryption.library()
        for spelling in passwords.all {
            try budget.spend(encryption.iterations)
            let plain = unsafe PasswordSpellings.lend(spelling) { text, count in
                unsafe PKCS8_decrypt_ex(encrypted, text, count, library.context, nil)
            }
            guard let plain = unsafe plain else { continue }
            // Wipes the encoded key.
            defer { unsafe PKCS8_PRIV_KEY_INFO_free(plain) }
            guard let handle = unsafe EVP_PKCS82PKEY(plain) else { continue }
            OpenSSLReasons.forget()
            let key = try unsafe PrivateKey(takingOwnershipOf: handle)
            try prove(key)
            try add(key, at: place, protection: encryption.protection)
            return
        }
        throw hasPassword ? .cannotDecrypt("private key") : .passwordNeeded("private key")
    }

    /// Opens what RFC 1421's headers say is encrypted, as OpenSSL wrote keys before version 1.0.
    ///
    /// The key comes from MD5 once (man 3 EVP_BytesToKey), so nothing is counted.
    mutating func readTraditional(
        _ bytes: SecretBytes, _ encryption: (cipher: String, vector: [UInt8]), curve: [UInt8]?,
        at place: String
    ) throws(PKIError) {
        guard let library = LegacyLibrary.shared else {
            throw .library("load the providers", .drain())
        }
        OpenSSLReasons.forget()
        defer { OpenSSLReasons.forget() }
        let name = String(encryption.cipher.unicodeScalars.filter { $0.isASCII }.prefix(32))
        let cipher = unsafe EVP_CIPHER_fetch(library.context, name, nil)
        guard let cipher = unsafe cipher, unsafe EVP_CIPHER_get_mode(cipher) == EVP_CIPH_CBC_MODE,
            unsafe Int(EVP_CIPHER_get_iv_length(cipher)) == encryption.vector.count,
            encryption.vector.count >= 8
        else { throw .unsupportedBundle("a key encrypted by \(name)") }
        defer { unsafe EVP_CIPHER_free(cipher) }
        let isModern = unsafe EVP_CIPHER_fetch(nil, name, nil)
        unsafe EVP_CIPHER_free(isModern)
        let protection = ForeignProtection(
            .pem(cipher: name), iterations: 1, needsLegacy: unsafe isModern == nil)
        contents.note(protection)
        for spelling in passwords.all {
            guard let spelling,
                var der = unsafe Self.decrypted(bytes, cipher, encryption.vector, spelling)
            else { continue }
            if let curve, let whole = SEC1Key.completed(der, by: curve) { der = whole }
            // With another password the padding is right once in 256 times, and then this is no key.
            let candidate = der
            let outcome = Result { () throws(PKIError) in try PrivateKey(unproven: candidate) }
            guard case .success(let key) = outcome else { continue }
            try prove(key)
            try add(key, at: place, protection: protection)
            return
        }
        throw hasPassword ? .cannotDecrypt("private key") : .passwordNeeded("private key")
    }

    private static func decrypted(
        _ bytes: SecretBytes, _ cipher: OpaquePointer, _ vector: [UInt8], _ password: SecretBytes
    ) -> SecretBytes? {
        guard let context = unsafe EVP_CIPHER_CTX_new() else { return nil }
        // Wipes the key inside.
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        let key = unsafe SecretBytes(count: Int(EVP_MAX_KEY_LENGTH)) { output in
            unsafe password.withUnsafeBytes { text in
                // The first eight bytes of the vector serve as salt.
                _ = unsafe EVP_BytesToKey(
                    cipher, EVP_md5(), vector,
                    text.bindMemory(to: UInt8.self).baseAddress, Int32(text.count), 1,
                    output.bindMemory(to: UInt8.self).baseAddress, nil)
            }
        }
        var total = 0
        let plain = unsafe SecretBytes(count: bytes.count + 64) { output in
            guard let start = unsafe output.bindMemory(to: UInt8.self).baseAddress else { return }
            var count: Int32 = 0
            var last: Int32 = 0
            let isDone = unsafe key.withUnsafeBytes { key in
                unsafe bytes.withUnsafeBytes { input in
                    unsafe EVP_DecryptInit_ex2(
                        context, cipher, key.bindMemory(to: UInt8.self).baseAddress, vector, nil)
                        == 1
                        && EVP_DecryptUpdate(
                            context, start, &count,
                            input.bindMemory(to: UInt8.self).baseAddress, Int32(input.count)) == 1
                        && EVP_DecryptFinal_ex(context, start + Int(count), &last) == 1
                }
            }
            total = isDone ? Int(count + last) : 0
        }
        return total > 0 ? plain.slice(0..<total) : nil
    }

    /// Proves a key's halves against each other, for its price: there may be many, and large ones.
    mutating func prove(_ key: PrivateKey) throws(PKIError) {
        try budget.spend(key.proofCost)
        try key.proveHalves()
    }

    /// Opens a PKCS#12 file; what it holds and what is wrong with it is added to the rest.
    mutating func readBundle(_ der: [UInt8], at place: String) throws(PKIError) {
        contents.holdsBundle = true
        guard let library = LegacyLibrary.shared else {
            throw .library("load the providers", .drain())
        }
        var opener = unsafe PKCS12Opener(
            passwords: passwords.all, budget: budget,
            rules: .foreign(library, hasPassword: hasPassword),
            title: "the PKCS#12 \(Self.part(place))", room: ForeignReader.itemLimit - contents.count
        )
        let outcome = Result { () throws(PKIError) in
            try unsafe PKCS12Opener.withFile(der, in: library) { file throws(PKIError) in
                try unsafe opener.open(file)
            }
        }
        budget = unsafe opener.budget
        let found = unsafe opener.contents
        found.protections.forEach { contents.note($0) }
        found.warnings.forEach { contents.warn($0) }
        contents.problems += found.problems.map {
            .init(place: $0.place, error: $0.error.namingDepth)
        }
        for item in found.keys {
            try add(item.value, at: item.place, name: item.name, protection: item.protection)
        }
        for item in found.certificates {
            try add(item.value, at: item.place, name: item.name, protection: item.protection)
        }
        try outcome.get()
    }
}
