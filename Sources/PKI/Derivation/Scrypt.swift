internal import COpenSSL
package import Secrets

/// scrypt (RFC 7914): a passphrase made into a key, at a price in time and memory.
package enum Scrypt {
    /// The price; `n` is a power of two, and about 128 · r · n bytes are needed.
    package struct Parameters: Hashable, Sendable {
        package let n: UInt64
        package let r: UInt64
        package let p: UInt64

        package init(n: UInt64, r: UInt64, p: UInt64) {
            self.n = n
            self.r = r
            self.p = p
        }

        /// What a derivation costs in time, in blocks that are mixed (RFC 7914 §5: N · r · p); nil
        /// for parameters out of bounds.
        package var work: UInt64? { areInBounds(memoryLimit: Scrypt.memoryLimit) ? n * r * p : nil }

        /// Whether `n` is a power of two above 1, `r` and `p` are from 1 to 32, and the memory is
        /// within `limit` bytes.
        fileprivate func areInBounds(memoryLimit limit: UInt64) -> Bool {
            n > 1 && n & (n - 1) == 0 && n <= 1 << 30 && (1...32).contains(r)
                && (1...32).contains(p) && memory <= limit
        }

        /// OpenSSL's own count of what it allocates, in bytes (crypto/evp/pbe_scrypt.c).
        fileprivate var memory: UInt64 { 128 * r * (n + 2 + p) }

        /// What new passphrases get: N = 2^17, r = 8, p = 1; 128 MiB and some 0.4 s.
        package static let standard = Parameters(n: 1 << 17, r: 8, p: 1)
    }

    /// 256 MiB and some, so that ``Parameters/standard`` may be doubled.
    package static let memoryLimit: UInt64 = 272 << 20

    /// Derives `count` bytes from `password`, blocking its thread for as long as it takes.
    ///
    /// The parameters may come from a file, so they are checked before any work: `n` a power of
    /// two above 1, `r` and `p` from 1 to 32, and the memory within `memoryLimit` bytes.
    ///
    /// - Throws: ``PKIError/parametersRefused(_:)``; ``PKIError/library(_:_:)`` when memory lacks.
    package static func derive(
        password: SecretBytes, salt: [UInt8], parameters: Parameters, count: Int,
        memoryLimit: UInt64 = Scrypt.memoryLimit
    ) throws(PKIError) -> SecretBytes {
        let (n, r, p) = (parameters.n, parameters.r, parameters.p)
        guard parameters.areInBounds(memoryLimit: .max) else {
            throw .parametersRefused("scrypt with N=\(n), r=\(r), p=\(p)")
        }
        let memory = parameters.memory
        guard memory <= memoryLimit else {
            throw .parametersRefused("scrypt with \(memory >> 20) MiB of memory")
        }
        OpenSSLReasons.forget()
        var isDone = false
        let key = unsafe SecretBytes(count: count) { output in
            isDone = unsafe password.withUnsafeBytes { password in
                unsafe EVP_PBE_scrypt(
                    password.bindMemory(to: CChar.self).baseAddress, password.count,
                    salt, salt.count, n, r, p, memory,
                    output.bindMemory(to: UInt8.self).baseAddress, output.count) == 1
            }
        }
        guard isDone else { throw .library("derive a key by scrypt", .drain()) }
        return key
    }
}
