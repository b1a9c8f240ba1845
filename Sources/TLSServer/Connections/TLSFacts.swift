/// What the handshake of a connection brought to light.
package struct TLSFacts: Sendable {
    /// Such as `TLSv1.3`.
    package let version: String
    /// OpenSSL's name, such as `TLS_AES_256_GCM_SHA384`.
    package let cipher: String
    /// The host name that the client asked for (SNI).
    package let serverName: String?
    /// Whether an earlier session was taken up, without certificates being exchanged again.
    package let isResumed: Bool
    /// The number of the connection whose full handshake made the session; this one's own when it
    /// is not resumed; nil when a session resumed by id does not say.
    package let sessionMadeOn: UInt64?
    /// DER; of a resumed session the certificate with which it was made.
    package let clientCertificate: [UInt8]?
    /// Why the client's certificate does not verify; nil when it does, or when there is none.
    package let verificationProblem: String?
}

/// A handshake that came to nothing.
package struct HandshakeFailure: Sendable {
    package let connection: UInt64
    /// What OpenSSL, or the policy for client certificates, says.
    package let reason: String
    package let serverName: String?
    /// DER, when the client had presented one.
    package let clientCertificate: [UInt8]?
}
