internal import COpenSSL

/// The alerts with which a client certificate can be refused (RFC 8446 §6.2).
///
/// OpenSSL chooses the alert from the verification's result, so each stands for one result.
/// `certificate_required` (116; in TLS 1.2 `handshake_failure`) is not here: it is what a client
/// without a certificate gets, and nobody else. In TLS 1.3 all of them reach the client after its
/// side of the handshake is complete, so that they surface on its first read.
package enum TLSAlert: UInt8, Sendable, CaseIterable, Codable {
    case handshakeFailure = 40
    case badCertificate = 42
    case unsupportedCertificate = 43
    case certificateRevoked = 44
    case certificateExpired = 45
    case certificateUnknown = 46
    case unknownAuthority = 48
    case internalError = 80

    var verificationResult: Int32 {
        switch self {
        case .handshakeFailure: X509_V_ERR_APPLICATION_VERIFICATION
        case .badCertificate: X509_V_ERR_CERT_REJECTED
        case .unsupportedCertificate: X509_V_ERR_INVALID_PURPOSE
        case .certificateRevoked: X509_V_ERR_CERT_REVOKED
        case .certificateExpired: X509_V_ERR_CERT_HAS_EXPIRED
        // Not in OpenSSL's table of alerts, and what is not there is sent as certificate_unknown.
        case .certificateUnknown: X509_V_ERR_INVALID_EXTENSION
        case .unknownAuthority: X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY
        case .internalError: X509_V_ERR_UNSPECIFIED
        }
    }
}
