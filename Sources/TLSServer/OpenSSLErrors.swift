internal import COpenSSL

/// The calling thread's OpenSSL error queue as text, emptied.
///
/// The queue belongs to the thread, so this is called right after the failure.
func drainOpenSSLErrors() -> String {
    var reasons: [String] = []
    while true {
        let error = ERR_get_error()
        guard error != 0 else { break }
        if let reason = unsafe ERR_reason_error_string(error) {
            reasons.append(unsafe String(cString: reason))
        } else {
            reasons.append("error \(String(error, radix: 16, uppercase: true))")
        }
    }
    return reasons.isEmpty ? "no reason given" : reasons.joined(separator: "; ")
}

/// Lends a memory BIO that reads `bytes`; nil when OpenSSL has no memory.
func withReader<Result, Failure: Error>(
    of bytes: UnsafeRawBufferPointer, _ body: (OpaquePointer) throws(Failure) -> Result
) throws(Failure) -> Result? {
    guard let bio = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else {
        return nil
    }
    defer { unsafe BIO_free(bio) }
    return try unsafe body(bio)
}

/// The DER encoding of a borrowed certificate.
func encoded(_ certificate: OpaquePointer) -> [UInt8] {
    let length = unsafe Int(i2d_X509(certificate, nil))
    guard length > 0 else { return [] }
    return unsafe [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
        var cursor = buffer.baseAddress
        count = unsafe Int(max(0, i2d_X509(certificate, &cursor)))
    }
}
