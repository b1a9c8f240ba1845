/// What a server asks of its clients.
package struct ClientCertificates: Sendable {
    /// How strongly a certificate is asked for.
    package enum Demand: Sendable {
        /// Not at all.
        case none
        /// Asked for; none, or one that does not verify, is admitted, and the facts tell so.
        case requested
        /// Without one that verifies to the authorities there is no connection.
        case required
    }

    package let demand: Demand
    /// PEM: roots and intermediates; a client may send its own certificate alone.
    package let authoritiesPEM: [UInt8]
    /// Has the last word on a certificate (DER) that verified: nil admits it.
    ///
    /// Called on the connection's thread, in full handshakes alone: a resumed session repeats none.
    /// Nobody can resume the session before it has returned.
    package let refusal: @Sendable (_ certificate: [UInt8], _ connection: UInt64) -> TLSAlert?

    package init(
        demand: Demand, authoritiesPEM: [UInt8],
        refusal: @escaping @Sendable (_ certificate: [UInt8], _ connection: UInt64) -> TLSAlert? =
            { _, _ in nil }
    ) {
        self.demand = demand
        self.authoritiesPEM = authoritiesPEM
        self.refusal = refusal
    }

    /// No client certificate is asked for.
    package static let none = ClientCertificates(demand: .none, authoritiesPEM: [])
}
