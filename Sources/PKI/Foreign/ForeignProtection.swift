/// How a file, or a part of one, is encrypted or proven whole.
package struct ForeignProtection: Hashable, Sendable {
    /// By what, as far as readers differ in it.
    package enum Method: Hashable, Sendable {
        /// PKCS#5 version 2: `derivation` is PBKDF2's digest (`SHA-256`) or `scrypt`.
        case pbes2(cipher: String, derivation: String)
        /// A scheme that names digest and cipher together (PKCS#12's own, and PKCS#5 version 1).
        case scheme(String)
        /// Traditional PEM (`DEK-Info`): MD5 once, so hardly a protection.
        case pem(cipher: String)
        /// PKCS#12's own code over a file, by digest.
        case code(digest: String)
        /// RFC 9579's code over a file, by digest.
        case pbmac1(digest: String)
        /// A PKCS#12 file without any code.
        case noCode
    }

    package let method: Method
    /// 0 where nothing is counted; for scrypt the blocks that are mixed (N · r · p).
    package let iterations: Int
    /// Whether OpenSSL 3 opens it through its legacy provider alone.
    package let needsLegacy: Bool

    init(_ method: Method, iterations: Int = 0, needsLegacy: Bool = false) {
        self.method = method
        self.iterations = iterations
        self.needsLegacy = needsLegacy
    }

    /// Whether it keeps a secret, rather than proves that a file is whole.
    package var isEncryption: Bool {
        switch method {
        case .pbes2, .scheme, .pem: true
        case .code, .pbmac1, .noCode: false
        }
    }
}

extension ForeignProtection: CustomStringConvertible {
    /// Such as `AES-256-CBC (PBES2, PBKDF2 with SHA-256)`.
    package var description: String {
        switch method {
        case .pbes2(let cipher, "scrypt"): "\(cipher) (PBES2, scrypt)"
        case .pbes2(let cipher, let digest): "\(cipher) (PBES2, PBKDF2 with \(digest))"
        case .scheme(let name): name
        case .pem(let cipher): "\(cipher) (traditional PEM)"
        case .code(let digest): "MAC with \(digest)"
        case .pbmac1(let digest): "PBMAC1 with \(digest)"
        case .noCode: "no MAC"
        }
    }
}
