package import Secrets

/// The certificate and the key that a pool shows to the servers it connects to.
///
/// Both are PEM, because that is what libcurl's blobs hold a chain in. The key stays in its own
/// wiped memory: libcurl is lent a pointer and OpenSSL decodes from there; neither is a file ever
/// written nor a copy made that this program could not wipe. (What OpenSSL decodes, it clears.)
package struct ClientIdentity: Sendable {
    /// The leaf first, then its intermediates; without the root.
    package var certificateChainPEM: [UInt8]
    /// PKCS#8 or traditional PEM, not encrypted.
    package var privateKeyPEM: SecretBytes

    /// Checks nothing: a key that does not fit fails the first request.
    package init(certificateChainPEM: [UInt8], privateKeyPEM: SecretBytes) {
        self.certificateChainPEM = certificateChainPEM
        self.privateKeyPEM = privateKeyPEM
    }
}
