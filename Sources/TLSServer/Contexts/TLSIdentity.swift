package import Secrets

/// What a server proves itself with.
package struct TLSIdentity: Sendable {
    /// PEM: the server's own certificate first, then what it sends along with it.
    package let chainPEM: [UInt8]
    /// The unencrypted PEM key that belongs to the first certificate.
    package let keyPEM: SecretBytes

    package init(chainPEM: [UInt8], keyPEM: SecretBytes) {
        self.chainPEM = chainPEM
        self.keyPEM = keyPEM
    }
}
