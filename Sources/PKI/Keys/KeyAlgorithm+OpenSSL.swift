internal import COpenSSL

extension KeyAlgorithm {
    /// Tells the sort of a key that OpenSSL holds; `handle` is borrowed.
    init(of handle: OpaquePointer) {
        guard let name = unsafe EVP_PKEY_get0_type_name(handle) else {
            self = .other("unknown")
            return
        }
        switch unsafe String(cString: name) {
        case "RSA":
            self = .rsa(bits: Int(unsafe EVP_PKEY_get_bits(handle)))
        case "EC":
            let encoding = unsafe Self.text(OSSL_PKEY_PARAM_EC_ENCODING, of: handle)
            let group = unsafe Self.text(OSSL_PKEY_PARAM_GROUP_NAME, of: handle)
            self = .ellipticCurve(
                name: Self.curveName(group ?? "unknown"),
                explicitParameters: encoding == OSSL_PKEY_EC_ENCODING_EXPLICIT || group == nil)
        case let other:
            self = .other(other)
        }
    }

    private static func curveName(_ group: String) -> String {
        switch group {
        case "prime256v1": "P-256"
        case "secp384r1": "P-384"
        case "secp521r1": "P-521"
        default: group
        }
    }

    private static func text(_ parameter: String, of handle: OpaquePointer) -> String? {
        var buffer = [CChar](repeating: 0, count: 80)
        var length = 0
        let found = unsafe buffer.withUnsafeMutableBufferPointer {
            unsafe EVP_PKEY_get_utf8_string_param(
                handle, parameter, $0.baseAddress, $0.count, &length)
        }
        guard found == 1, length < buffer.count else {
            OpenSSLReasons.forget()
            return nil
        }
        return String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
