package import Merchants

/// An identity that is not shown to a gateway for now, because it was refused there again and again.
package struct OpenCircuit: Sendable, Equatable {
    package let merchant: MerchantIdentifier
    package let environment: EnvironmentName
    package let credential: CredentialIdentifier
    /// What the gateway said last.
    package let last: SessionError
}
