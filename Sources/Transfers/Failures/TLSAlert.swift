/// A fatal TLS alert from the server (RFC 8446 §6.2; the numbers that only TLS 1.2 has, RFC 5246).
package struct TLSAlert: Sendable, Equatable {
    /// The alert's number in IANA's registry.
    package let number: UInt8

    /// Any number; those without a name are `unknown`.
    package init(number: UInt8) {
        self.number = number
    }

    /// The alert's name in the RFC, or `unknown`.
    package var name: String { TLSAlert.names[number] ?? "unknown" }

    /// Whether it is one that servers send about the client's certificate.
    ///
    /// 40 is among them because a TLS 1.2 server that was shown none has nothing better to say.
    package var concernsClientCertificate: Bool {
        switch number {
        case 40, 41, 42, 43, 44, 45, 46, 48, 49, 116: true
        default: false
        }
    }

    var remedy: String {
        switch number {
        case 44: "issue a new certificate: this one is revoked"
        case 45: "renew the certificate: it has expired or is not valid yet"
        case 42, 43, 46, 48:
            "check that this certificate was issued for this server by its authority"
        case 40, 41, 116: "choose a certificate: the server demands one and got none it accepts"
        case 49: "ask who runs the server: it accepts the certificate and denies access"
        case 70, 71, 86: "ask who runs the server for TLS 1.2 or later with AES-GCM"
        case 112: "check the host name: the server does not know it"
        default: "try again; if it persists, ask who runs the server"
        }
    }

    private static let names: [UInt8: String] = [
        10: "unexpected_message", 20: "bad_record_mac", 21: "decryption_failed",
        22: "record_overflow", 30: "decompression_failure", 40: "handshake_failure",
        41: "no_certificate", 42: "bad_certificate", 43: "unsupported_certificate",
        44: "certificate_revoked", 45: "certificate_expired", 46: "certificate_unknown",
        47: "illegal_parameter", 48: "unknown_ca", 49: "access_denied", 50: "decode_error",
        51: "decrypt_error", 60: "export_restriction", 70: "protocol_version",
        71: "insufficient_security", 80: "internal_error", 86: "inappropriate_fallback",
        90: "user_canceled", 100: "no_renegotiation", 109: "missing_extension",
        110: "unsupported_extension", 111: "certificate_unobtainable", 112: "unrecognized_name",
        113: "bad_certificate_status_response", 114: "bad_certificate_hash_value",
        115: "unknown_psk_identity", 116: "certificate_required", 120: "no_application_protocol",
    ]
}

/// The first OpenSSL error in a text that libcurl made of it, as `error:0A000415:SSL routines::…`.
struct OpenSSLErrorText: Equatable, Sendable {
    /// The packed code: the library's number times 2²³, plus the reason.
    let code: UInt32
    /// What it means, in OpenSSL's words.
    let reason: String

    init?(in text: String) {
        let fields = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, field) in fields.enumerated() where field.hasSuffix("error") {
            guard index + 4 < fields.count, let code = UInt32(fields[index + 1], radix: 16) else {
                continue
            }
            self.code = code
            reason = String(fields[index + 4].prefix { $0 != "," && $0 != "(" })
            return
        }
        return nil
    }

    /// The alert from the peer that the code stands for: library 20 (SSL), reason 1000 + alert.
    var alert: TLSAlert? {
        guard code >> 23 == 20 else { return nil }
        return UInt8(exactly: Int64(code & 0x7F_FFFF) - 1000).map(TLSAlert.init(number:))
    }
}
