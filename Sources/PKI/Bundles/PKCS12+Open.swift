internal import COpenSSL
package import Secrets

extension PKCS12 {
    /// Opens a file: checks the code over it, then decrypts what is inside.
    ///
    /// Read are PBES2 with PBKDF2 and AES or 3DES, PKCS#12's own 3DES schemes, and parts that are
    /// not encrypted. Refused are files without a code over them, RC2 and RC4 (OpenSSL's legacy
    /// provider), and PBMAC1. All iteration counts of one file together are held within
    /// `iterationLimit`, each checked before the work. Blocks its thread for as long as that takes.
    ///
    /// - Throws: ``PKIError/wrongPassword`` where the code does not match, which a damaged file
    ///   looks like too; ``PKIError/malformedBundle(_:_:)``, ``PKIError/unsupportedBundle(_:)``,
    ///   ``PKIError/bundleTooCostly(iterations:limit:)``, ``PKIError/tooLarge(_:limit:)``.
    package static func open(
        _ bytes: [UInt8], password: SecretBytes, iterationLimit: Int = PKCS12.iterationLimit
    ) throws(PKIError) -> Contents {
        guard bytes.count <= sizeLimit else { throw .tooLarge("PKCS#12 file", limit: sizeLimit) }
        OpenSSLReasons.forget()
        defer { OpenSSLReasons.forget() }
        let (file, used) = unsafe decoded(bytes) { unsafe d2i_PKCS12(nil, $0, $1) }
        guard let file = unsafe file else { throw .malformedBundle("it is none", .drain()) }
        defer { unsafe PKCS12_free(file) }
        guard used == bytes.count else { throw .trailingBytes(after: "PKCS#12 file") }
        return try unsafe password.withUnsafeBytes { buffer throws(PKIError) in
            var opener = unsafe PKCS12Opener(
                password: buffer.bindMemory(to: CChar.self).baseAddress, count: Int32(buffer.count),
                budget: .init(limit: iterationLimit))
            return try unsafe opener.open(file)
        }
    }
}

/// The iterations that one file may still ask for.
struct IterationBudget {
    let limit: Int
    private(set) var spent = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes `iterations` from what is left; throws ``PKIError/bundleTooCostly(iterations:limit:)``.
    mutating func spend(_ iterations: Int) throws(PKIError) {
        let (sum, overflow) = spent.addingReportingOverflow(iterations)
        guard !overflow, sum <= limit else {
            throw .bundleTooCostly(iterations: overflow ? .max : sum, limit: limit)
        }
        spent = sum
    }
}
