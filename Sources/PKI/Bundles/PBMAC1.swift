internal import COpenSSL
internal import Secrets

/// The newer code over a PKCS#12 file (RFC 9579), which OpenSSL knows from version 3.4 only.
struct PBMAC1 {
    let derivation: PBKDF2Parameters
    let keyLength: Int
    /// OpenSSL's name of the HMAC's digest.
    let digest: String

    static let oid = "1.2.840.113549.1.5.14"

    /// Reads the DER of its AlgorithmIdentifier (RFC 8018 §A.5).
    ///
    /// The RFC demands what is checked here: a salt that stands there, a key length that stands
    /// there, and one that makes sense; 20 to 64 bytes are those of SHA-1 to SHA-512.
    ///
    /// - Throws: ``PKIError/malformedBundle(_:_:)``.
    init(algorithmIdentifier der: [UInt8]) throws(PKIError) {
        let none = OpenSSLReasons([])
        var outer = DERReader(der)
        guard let sequence = try? outer.next(), sequence.tag == 0x30 else {
            throw .malformedBundle("its PBMAC1 is not described", none)
        }
        var fields = DERReader(sequence.content)
        guard let object = try? fields.next(),
            DERReader.objectIdentifier(object.content) == Self.oid,
            let parameters = try? fields.next(), parameters.tag == 0x30
        else { throw .malformedBundle("its PBMAC1 is not described", none) }
        var parts = DERReader(parameters.content)
        guard let function = try? parts.next(), function.tag == 0x30,
            let scheme = try? parts.next(), scheme.tag == 0x30
        else { throw .malformedBundle("its PBMAC1 is not described", none) }
        var functionFields = DERReader(function.content)
        guard let name = try? functionFields.next(),
            DERReader.objectIdentifier(name.content) == "1.2.840.113549.1.5.12",
            let values = try? functionFields.next(), values.tag == 0x30,
            let derivation = PBKDF2Parameters(values.content)
        else { throw .malformedBundle("its PBMAC1 has no salt or no iteration count", none) }
        guard let keyLength = derivation.keyLength, (20...64).contains(keyLength) else {
            throw .malformedBundle("its PBMAC1 has no key length from 20 to 64 bytes", none)
        }
        guard let digest = PBKDF2Parameters.digest(scheme.content), derivation.digest != nil else {
            throw .unsupportedBundle("PBMAC1 with an unknown digest")
        }
        self.derivation = derivation
        self.keyLength = keyLength
        self.digest = digest
    }

    /// Whether `code` is the one over `data` under `password`; blocks for the derivation.
    func matches(_ code: [UInt8], over data: [UInt8], password: SecretBytes) -> Bool {
        guard let prf = unsafe EVP_get_digestbyname(derivation.digest ?? "") else { return false }
        var isDone = false
        let key = unsafe SecretBytes(count: keyLength) { output in
            isDone = unsafe password.withUnsafeBytes { text in
                unsafe PKCS5_PBKDF2_HMAC(
                    text.bindMemory(to: CChar.self).baseAddress, Int32(text.count),
                    derivation.salt, Int32(derivation.salt.count), Int32(derivation.iterations),
                    prf, Int32(output.count), output.bindMemory(to: UInt8.self).baseAddress) == 1
            }
        }
        var found = [UInt8](repeating: 0, count: 64)
        var length = 0
        let made = unsafe key.withUnsafeBytes { key in
            unsafe EVP_Q_mac(
                nil, "HMAC", nil, digest, nil, key.baseAddress, key.count, data, data.count,
                &found, found.count, &length)
        }
        guard isDone, unsafe made != nil, length == code.count else { return false }
        return unsafe CRYPTO_memcmp(found, code, length) == 0
    }
}
