/// What PBKDF2 is told in a file (RFC 8018 §A.2).
struct PBKDF2Parameters {
    let salt: [UInt8]
    let iterations: Int
    /// As it stands; nil where absent, -1 for a negative or outsized one.
    let keyLength: Int?
    /// OpenSSL's name of the digest, such as `SHA-256`; nil for one that is not known.
    let digest: String?

    /// Reads the content of the SEQUENCE; nil where salt or count are none.
    init?(_ content: ArraySlice<UInt8>) {
        var fields = DERReader(content)
        // The other choice, a salt by some algorithm, was never defined.
        guard let salt = try? fields.next(), salt.tag == 0x04,
            let number = try? fields.next(),
            let iterations = PasswordBasedEncryption.count(number), iterations > 0
        else { return nil }
        self.salt = Array(salt.content)
        self.iterations = iterations
        var next = try? fields.next()
        if let value = next, value.tag == 0x02 {
            keyLength = PasswordBasedEncryption.count(value) ?? -1
            next = try? fields.next()
        } else {
            keyLength = nil
        }
        guard let function = next else {
            digest = "SHA-1"
            return
        }
        digest = function.tag == 0x30 ? Self.digest(function.content) : nil
    }

    /// The digest of an HMAC's AlgorithmIdentifier, from the content of its SEQUENCE.
    static func digest(_ algorithm: ArraySlice<UInt8>) -> String? {
        var fields = DERReader(algorithm)
        guard let object = try? fields.next(), object.tag == 0x06,
            let oid = DERReader.objectIdentifier(object.content)
        else { return nil }
        return digests[oid]
    }

    private static let digests = [
        "1.2.840.113549.2.7": "SHA-1", "1.2.840.113549.2.8": "SHA-224",
        "1.2.840.113549.2.9": "SHA-256", "1.2.840.113549.2.10": "SHA-384",
        "1.2.840.113549.2.11": "SHA-512", "1.2.840.113549.2.12": "SHA-512/224",
        "1.2.840.113549.2.13": "SHA-512/256",
    ]
}
