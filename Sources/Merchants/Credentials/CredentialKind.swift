/// Which of Apple's certificates a credential is for.
package enum CredentialKind: String, Sendable, Hashable, CaseIterable, Codable {
    /// Apple Pay Merchant Identity: the TLS client certificate towards the gateway.
    case merchantIdentity = "merchant-identity"
    /// Apple Pay Payment Processing: Apple encrypts payment tokens to its key.
    case paymentProcessing = "payment-processing"
    /// The same for mainland China (`RSA_v1` tokens).
    case paymentProcessingRSA = "payment-processing-rsa"

    /// The key that Apple's portal demands in a CSR of this kind.
    package var requiredKey: KeyRequirement {
        switch self {
        case .merchantIdentity, .paymentProcessingRSA: .rsa2048
        case .paymentProcessing: .ecP256
        }
    }

    /// Whether this is one of the two processing kinds, which share their rules.
    package var isProcessing: Bool { self != .merchantIdentity }

    /// Apple's own name for the certificate.
    package var title: String {
        switch self {
        case .merchantIdentity: "Apple Pay Merchant Identity"
        case .paymentProcessing: "Apple Pay Payment Processing"
        case .paymentProcessingRSA: "Apple Pay Payment Processing (mainland China)"
        }
    }
}

/// A key algorithm with its size, as Apple's portal names it when it refuses a CSR.
package enum KeyRequirement: String, Sendable, Hashable, CaseIterable {
    case rsa2048 = "RSA(2048)"
    case ecP256 = "ECDSA(256)"
}
