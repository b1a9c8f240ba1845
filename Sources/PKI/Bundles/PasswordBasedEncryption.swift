/// How a part of a PKCS#12 file is encrypted, read before any work is done for it.
///
/// The parameters are an attacker's to choose: an iteration count of two thousand million would
/// keep a thread busy for an hour.
struct PasswordBasedEncryption: Equatable {
    /// What to call it in an error.
    let name: String
    let iterations: Int
    /// Whether OpenSSL's default provider can undo it.
    let isSupported: Bool

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
        guard let object = try? fields.next(), object.tag == 0x06,
            let oid = DERReader.objectIdentifier(object.content)
        else { return nil }
        guard oid == "1.2.840.113549.1.5.12" else {
            name = "PBES2 with \(oid == "1.3.6.1.4.1.11591.4.11" ? "scrypt" : oid)"
            iterations = 0
            isSupported = false
            return
        }
        var cipherFields = DERReader(cipher.content)
        guard let values = try? fields.next(), values.tag == 0x30,
            let iterations = Self.iterations(values.content),
            let cipherObject = try? cipherFields.next(), cipherObject.tag == 0x06,
            let cipherID = DERReader.objectIdentifier(cipherObject.content)
        else { return nil }
        let known = Self.ciphers[cipherID]
        name = "PBES2 with \(known ?? cipherID)"
        self.iterations = iterations
        isSupported = known != nil
    }

    /// A scheme of PKCS#12's own (RFC 7292 appendix C): salt and iterations.
    private init?(scheme oid: String, parameters: ArraySlice<UInt8>) {
        guard let iterations = Self.iterations(parameters) else { return nil }
        self.iterations = iterations
        switch oid {
        case "1.2.840.113549.1.12.1.3":
            (name, isSupported) = ("pbeWithSHA1And3-KeyTripleDES-CBC", true)
        case "1.2.840.113549.1.12.1.4":
            (name, isSupported) = ("pbeWithSHA1And2-KeyTripleDES-CBC", true)
        // The rest needs the legacy provider, which is not loaded.
        case "1.2.840.113549.1.12.1.5": (name, isSupported) = ("pbeWithSHA1And128BitRC2-CBC", false)
        case "1.2.840.113549.1.12.1.6": (name, isSupported) = ("pbeWithSHA1And40BitRC2-CBC", false)
        case "1.2.840.113549.1.12.1.1": (name, isSupported) = ("pbeWithSHA1And128BitRC4", false)
        case "1.2.840.113549.1.12.1.2": (name, isSupported) = ("pbeWithSHA1And40BitRC4", false)
        default: (name, isSupported) = ("encryption \(oid)", false)
        }
    }

    /// The INTEGER after the salt; nil when absent, not positive or beyond four bytes.
    private static func iterations(_ parameters: ArraySlice<UInt8>) -> Int? {
        var fields = DERReader(parameters)
        guard let salt = try? fields.next(), salt.tag == 0x04,
            let number = try? fields.next(), number.tag == 0x02,
            let first = number.content.first, first < 0x80, number.content.count <= 5
        else { return nil }
        let value = number.content.reduce(0) { $0 << 8 | Int($1) }
        return value > 0 ? value : nil
    }

    private static let ciphers = [
        "2.16.840.1.101.3.4.1.2": "AES-128-CBC",
        "2.16.840.1.101.3.4.1.22": "AES-192-CBC",
        "2.16.840.1.101.3.4.1.42": "AES-256-CBC",
        "1.2.840.113549.3.7": "DES-EDE3-CBC",
    ]
}
