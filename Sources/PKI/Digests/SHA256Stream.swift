internal import COpenSSL

/// SHA-256 of bytes that come in pieces.
@safe package final class SHA256Stream {
    private let context: OpaquePointer

    package init() {
        guard let made = unsafe EVP_MD_CTX_new(),
            unsafe EVP_DigestInit_ex(made, EVP_sha256(), nil) == 1
        else { preconditionFailure("SHA-256 is missing from OpenSSL's default provider") }
        unsafe context = made
    }

    deinit {
        unsafe EVP_MD_CTX_free(context)
    }

    /// Takes the next bytes.
    package func update(_ bytes: [UInt8]) {
        let taken = unsafe bytes.withUnsafeBytes { input in
            unsafe EVP_DigestUpdate(context, input.baseAddress, input.count)
        }
        precondition(taken == 1, "SHA-256 failed")
    }

    /// The 32-byte digest of all bytes; to be asked for once.
    package func digest() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: SHA256.count)
        precondition(unsafe EVP_DigestFinal_ex(context, &digest, nil) == 1, "SHA-256 failed")
        return digest
    }
}

@available(*, unavailable)
extension SHA256Stream: Sendable {}
