package import TLSServer

/// What a stand-in for Apple is started with; the defaults suit a test.
package struct SimulatorConfiguration: Sendable {
    /// The production gateway's port; 0 for any.
    package var gatewayPort: UInt16 = 0
    /// The sandbox gateway's port; 0 for any.
    package var sandboxPort: UInt16 = 0
    /// The portal's port; 0 for any.
    package var portalPort: UInt16 = 0
    /// The team identifier in certificates (OU), unless a merchant has one of its own.
    package var team = "SIMULATOR1"
    /// Whether a session is refused while no payment processing certificate is active.
    package var requiresActiveProcessing = false
    /// The OCSP responder named in certificates; nil for none.
    package var ocspURL: String?
    /// A file that the gateways' log is appended to; nil for none.
    package var logPath: String?
    /// How awkward the gateways are from the start.
    package var rudeness = Rudeness.none
    /// What the dice start from: the same seed, the same rudeness.
    package var seed: UInt64 = 1
    /// The newest protocol version that the gateways speak.
    package var newestTLS = TLSVersion.tls13

    /// A well-mannered stand-in on any free ports.
    package init() {}
}
