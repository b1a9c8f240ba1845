internal import COpenSSL

/// The protocol versions that the listener speaks.
package enum TLSVersion: String, Sendable, Comparable, CaseIterable {
    case tls12 = "TLSv1.2"
    case tls13 = "TLSv1.3"

    var number: Int32 {
        switch self {
        case .tls12: Int32(TLS1_2_VERSION)
        case .tls13: Int32(TLS1_3_VERSION)
        }
    }

    package static func < (one: TLSVersion, other: TLSVersion) -> Bool {
        one.number < other.number
    }
}
