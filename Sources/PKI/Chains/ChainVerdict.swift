internal import COpenSSL

/// What became of building a chain.
package enum ChainVerdict: Hashable, Sendable {
    /// Leaf first, anchor last.
    case verified(chain: [Certificate])
    /// No trusted certificate was reached: the certificate may be good, its issuer is not known.
    case issuerUnknown
    /// A certificate on the way is wrong or not valid at that moment; `reason` is OpenSSL's phrase,
    /// such as `certificate has expired`.
    case invalid(reason: String)

    /// Whether a trusted root was reached.
    package var isVerified: Bool {
        if case .verified = self { true } else { false }
    }

    /// Sorts X509_verify_cert's error codes.
    init(failure code: Int32) {
        switch code {
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
            self = .issuerUnknown
        default:
            let text = unsafe X509_verify_cert_error_string(Int(code))
            self = .invalid(reason: unsafe text.map { unsafe String(cString: $0) } ?? "unknown")
        }
    }
}
