/// The sort of a key, as far as Apple's rules ask: RSA of which size, or which curve.
package enum KeyAlgorithm: Hashable, Sendable {
    case rsa(bits: Int)
    /// `name` is NIST's where it has one (`P-256`), else OpenSSL's. Explicit parameters spell the
    /// curve out instead of naming it; Apple and most readers refuse those.
    case ellipticCurve(name: String, explicitParameters: Bool)
    /// Anything else, by OpenSSL's name or by its dotted object identifier.
    case other(String)

    /// What a merchant identity key is, and a payment processing key for mainland China.
    package static let rsa2048 = KeyAlgorithm.rsa(bits: 2048)

    /// What a payment processing key is.
    package static let ecP256 = KeyAlgorithm.ellipticCurve(name: "P-256", explicitParameters: false)
}

extension KeyAlgorithm: CustomStringConvertible {
    /// Such as `RSA 2048` or `EC P-256`.
    package var description: String {
        switch self {
        case .rsa(let bits): "RSA \(bits)"
        case .ellipticCurve(let name, false): "EC \(name)"
        case .ellipticCurve(let name, true): "EC \(name) with explicit parameters"
        case .other(let name): name
        }
    }
}
