internal import COpenSSL
package import Secrets

extension PKCS12 {
    /// Opens a file: checks the code over it, then decrypts what is inside.
    ///
    /// For files of our own; ``ForeignReader`` takes anybody's. Read are PBES2 with PBKDF2 and AES
    /// or 3DES, PKCS#12's own 3DES schemes, and parts that are not encrypted. Refused are files
    /// without a code over them, RC2, RC4, single DES and PBMAC1. All iteration counts of one file
    /// together are held within `iterationLimit`, each checked before the work. Blocks its thread
    /// for as long as that takes.
    ///
    /// - Throws: ``PKIError/wrongPassword`` where the code does not match, which a damaged file
    ///   looks like too; ``PKIError/malformedBundle(_:_:)``, ``PKIError/unsupportedBundle(_:)``,
    ///   ``PKIError/bundleTooCostly(iterations:limit:)``, ``PKIError/tooLarge(_:limit:)``.
    package static func open(
        _ bytes: [UInt8], password: SecretBytes, iterationLimit: Int = PKCS12.iterationLimit
    ) throws(PKIError) -> Contents {
        guard bytes.count <= sizeLimit else { throw .tooLarge("PKCS#12 file", limit: sizeLimit) }
        // "No password" and an empty one give different codes; tools write either for none.
        let passwords: [SecretBytes?] = password.count == 0 ? [password, nil] : [password]
        var opener = unsafe PKCS12Opener(
            passwords: passwords, budget: IterationBudget(limit: iterationLimit), rules: .ours,
            title: "the PKCS#12 file", room: ForeignReader.itemLimit)
        try unsafe PKCS12Opener.withFile(bytes, in: nil) { file throws(PKIError) in
            try unsafe opener.open(file)
        }
        let found = unsafe opener.contents
        return Contents(
            keys: found.keys.map(\.value), certificates: found.certificates.map(\.value),
            friendlyName: found.keys.lazy.compactMap(\.name).first
                ?? found.certificates.lazy.compactMap(\.name).first)
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
