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

    var budget: IterationBudget
    var contents: ForeignContents
    /// The one that matched the code first; nil is "no password", which is not the empty one.
    var passwords: [SecretBytes?]
    let rules: Rules
    /// `the PKCS#12 file`, for the places of what is found.
    let title: String
    let room: Int
    var bagsSeen = 0
    var hasCode = false

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

    mutating func attempt(
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

    // MARK: - Parts

    /// Notes how the parts are encrypted, as far as that is told without a password.
    mutating func noteEncryption(of file: OpaquePointer) {
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
    mutating func decrypt(
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
}
