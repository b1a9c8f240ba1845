internal import COpenSSL

/// How something is encrypted under a password, read before any work is done for it.
///
/// The parameters are an attacker's to choose: an iteration count of two thousand million would
/// keep a thread busy for an hour.
struct PasswordBasedEncryption: Equatable {
    /// What to call it in an error.
    let name: String
    /// For scrypt the blocks that are mixed, each about the price of an iteration.
    let iterations: Int
    /// Whether OpenSSL can undo it at all.
    let isSupported: Bool
    /// Whether that takes the legacy provider.
    let needsLegacy: Bool
    /// What scrypt needs, in bytes; 0 for the rest.
    let memory: Int
    let method: ForeignProtection.Method

    /// What a report says of it.
    var protection: ForeignProtection {
        ForeignProtection(method, iterations: iterations, needsLegacy: needsLegacy)
    }

    /// What OpenSSL lends scrypt inside PKCS#8 (crypto/evp/pbe_scrypt.c).
    static let memoryLimit = 32 << 20

    /// The library that can undo it.
    ///
    /// - Throws: ``PKIError/unsupportedBundle(_:)``, ``PKIError/derivationTooLarge(bytes:limit:)``.
    func library() throws(PKIError) -> LegacyLibrary {
        guard let library = LegacyLibrary.shared else {
            throw .library("load the providers", .drain())
        }
        guard isSupported, !needsLegacy || library.hasLegacy else { throw .unsupportedBundle(name) }
        guard memory <= Self.memoryLimit else {
            throw .derivationTooLarge(bytes: memory, limit: Self.memoryLimit)
        }
        return library
    }

    /// Reads an AlgorithmIdentifier that OpenSSL holds; nil when it describes no encryption.
    init?(_ algorithm: UnsafePointer<X509_ALGOR>?) {
        guard let algorithm = unsafe algorithm,
            let der = unsafe encoded({ unsafe i2d_X509_ALGOR(algorithm, $0) })
        else { return nil }
        self.init(algorithmIdentifier: der)
    }

    /// Reads the DER of an AlgorithmIdentifier; nil when it is none.
    init?(algorithmIdentifier der: [UInt8]) {
        var outer = DERReader(der)
        guard let sequence = try? outer.next(), sequence.tag == 0x30 else { return nil }
        var fields = DERReader(sequence.content)
        guard let object = try? fields.next(), object.tag == 0x06,
            let oid = DERReader.objectIdentifier(object.content),
            let parameters = try? fields.next(), parameters.tag == 0x30
        else { return nil }
        if oid == "1.2.840.113549.1.5.13" {
            self.init(pbes2: parameters.content)
        } else {
            self.init(scheme: oid, parameters: parameters.content)
        }
    }

    /// PBES2 (RFC 8018 §6.2): a derivation and a cipher, each with parameters of its own.
    private init?(pbes2 parameters: ArraySlice<UInt8>) {
        var parts = DERReader(parameters)
        guard let derivation = try? parts.next(), derivation.tag == 0x30,
            let cipher = try? parts.next(), cipher.tag == 0x30
        else { return nil }
        var fields = DERReader(derivation.content)
        var cipherFields = DERReader(cipher.content)
        guard let object = try? fields.next(), object.tag == 0x06,
            let oid = DERReader.objectIdentifier(object.content),
            let values = try? fields.next(), values.tag == 0x30,
            let cipherObject = try? cipherFields.next(), cipherObject.tag == 0x06,
            let cipherID = DERReader.objectIdentifier(cipherObject.content)
        else { return nil }
        let known = Self.ciphers[cipherID]
        let cipherName = known?.name ?? cipherID
        needsLegacy = known?.isLegacy ?? false
        switch oid {
        case "1.2.840.113549.1.5.12":
            guard let pbkdf2 = PBKDF2Parameters(values.content) else { return nil }
            iterations = pbkdf2.iterations
            memory = 0
            name = "PBES2 with \(cipherName)"
            isSupported = known != nil && pbkdf2.digest != nil
            method = .pbes2(cipher: cipherName, derivation: pbkdf2.digest ?? "an unknown digest")
        case "1.3.6.1.4.1.11591.4.11":
            guard let scrypt = Self.scrypt(values.content) else { return nil }
            (iterations, memory) = scrypt
            name = "PBES2 with scrypt"
            isSupported = known != nil
            method = .pbes2(cipher: cipherName, derivation: "scrypt")
        default:
            (iterations, memory) = (0, 0)
            name = "PBES2 with \(oid)"
            isSupported = false
            method = .pbes2(cipher: cipherName, derivation: oid)
        }
    }

    /// A scheme with one name: PKCS#12's own (RFC 7292 appendix C) or PKCS#5 version 1.
    private init?(scheme oid: String, parameters: ArraySlice<UInt8>) {
        var fields = DERReader(parameters)
        guard let salt = try? fields.next(), salt.tag == 0x04,
            let number = try? fields.next(), let iterations = Self.count(number), iterations > 0
        else { return nil }
        self.iterations = iterations
        memory = 0
        let known = Self.schemes[oid]
        name = known?.name ?? "encryption \(oid)"
        isSupported = known != nil
        needsLegacy = known?.isLegacy ?? false
        method = .scheme(known?.name ?? oid)
    }

    /// RFC 7914 §7.1: salt, N, r, p; the work and the memory, nil where a number is absurd.
    private static func scrypt(_ parameters: ArraySlice<UInt8>) -> (work: Int, memory: Int)? {
        var fields = DERReader(parameters)
        guard let salt = try? fields.next(), salt.tag == 0x04,
            let n = (try? fields.next()).flatMap(count),
            let r = (try? fields.next()).flatMap(count),
            let p = (try? fields.next()).flatMap(count), n > 1, n < 1 << 31, r > 0, p > 0,
            r < 1 << 15,
            p < 1 << 15
        else { return nil }
        return (n * r * p, 128 * r * (n + 2 + p))
    }

    /// An INTEGER that is not negative, of at most five bytes.
    static func count(_ number: DERReader.Value) -> Int? {
        guard number.tag == 0x02, let first = number.content.first, first < 0x80,
            number.content.count <= 5
        else { return nil }
        return number.content.reduce(0) { $0 << 8 | Int($1) }
    }

    private static let ciphers: [String: (name: String, isLegacy: Bool)] = [
        "2.16.840.1.101.3.4.1.2": ("AES-128-CBC", false),
        "2.16.840.1.101.3.4.1.22": ("AES-192-CBC", false),
        "2.16.840.1.101.3.4.1.42": ("AES-256-CBC", false),
        "1.2.840.113549.3.7": ("DES-EDE3-CBC", false),
        "1.2.392.200011.61.1.1.1.2": ("CAMELLIA-128-CBC", false),
        "1.2.392.200011.61.1.1.1.3": ("CAMELLIA-192-CBC", false),
        "1.2.392.200011.61.1.1.1.4": ("CAMELLIA-256-CBC", false),
        "1.2.410.200046.1.1.2": ("ARIA-128-CBC", false),
        "1.2.410.200046.1.1.7": ("ARIA-192-CBC", false),
        "1.2.410.200046.1.1.12": ("ARIA-256-CBC", false),
        "1.3.14.3.2.7": ("DES-CBC", true),
        "1.2.840.113549.3.2": ("RC2-CBC", true),
    ]

    private static let schemes: [String: (name: String, isLegacy: Bool)] = [
        "1.2.840.113549.1.12.1.1": ("pbeWithSHA1And128BitRC4", true),
        "1.2.840.113549.1.12.1.2": ("pbeWithSHA1And40BitRC4", true),
        "1.2.840.113549.1.12.1.3": ("pbeWithSHA1And3-KeyTripleDES-CBC", false),
        "1.2.840.113549.1.12.1.4": ("pbeWithSHA1And2-KeyTripleDES-CBC", false),
        "1.2.840.113549.1.12.1.5": ("pbeWithSHA1And128BitRC2-CBC", true),
        "1.2.840.113549.1.12.1.6": ("pbeWithSHA1And40BitRC2-CBC", true),
        "1.2.840.113549.1.5.3": ("pbeWithMD5AndDES-CBC", true),
        "1.2.840.113549.1.5.6": ("pbeWithMD5AndRC2-CBC", true),
        "1.2.840.113549.1.5.10": ("pbeWithSHA1AndDES-CBC", true),
        "1.2.840.113549.1.5.11": ("pbeWithSHA1AndRC2-CBC", true),
    ]
}
