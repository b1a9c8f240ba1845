internal import COpenSSL

/// SHA-256 (FIPS 180-4), by which keys, certificates and merchants are named.
package enum SHA256 {
    /// The number of bytes of a digest.
    package static let count = 32

    /// Fetched once: OpenSSL 3 would look the algorithm up anew for each digest.
    private nonisolated(unsafe) static let algorithm: OpaquePointer? = unsafe EVP_MD_fetch(
        nil, "SHA256", nil)

    /// The 32-byte digest of `bytes`.
    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: count)
        // The one-shot call without key and memory of its own: it fails for a broken library only.
        let written = unsafe bytes.withUnsafeBufferPointer { input in
            unsafe digest.withUnsafeMutableBufferPointer { output in
                unsafe EVP_Digest(
                    input.baseAddress, input.count, output.baseAddress, nil, algorithm, nil)
            }
        }
        precondition(written == 1, "SHA-256 is missing from OpenSSL's default provider")
        return digest
    }
}
