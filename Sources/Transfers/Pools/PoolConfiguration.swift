/// Who a pool is, whom it believes, and its limits.
///
/// A pool belongs to one credential at one gateway: its connections and TLS sessions are never used
/// for another.
package struct PoolConfiguration: Sendable {
    /// What the pool shows to servers; nil shows nothing.
    package var identity: ClientIdentity?
    /// Whose servers it believes.
    package var trust: ServerTrust
    /// A proxy's URL, such as `http://proxy.example:3128`; nil connects directly.
    ///
    /// `HTTPS_PROXY` and its relatives are ignored: who sees this traffic is decided here alone.
    package var proxy: String?
    /// For the name lookup, TCP, the proxy and TLS together.
    package var connectTimeout: Duration = .seconds(3)
    /// For one request from ``ConnectionPool/send(_:)`` to its last byte, waiting included.
    package var totalTimeout: Duration = .seconds(10)
    /// The most connections, and so the most requests under way, at once.
    package var maximumConnections = 256
    /// The most requests that wait for a connection; one more is refused.
    package var maximumWaiting = 4096
    /// The largest body that is accepted; a larger one is refused while it arrives.
    package var maximumResponseBytes = 256 * 1024
    /// How long a connection is kept unused.
    ///
    /// Below the usual 60 seconds of load balancers, so that this end gives up first and no request
    /// is written to a connection that the other end is closing.
    package var idleLifetime: Duration = .seconds(50)
    /// Whether `http://` is allowed too, as OCSP needs: its answers are signed.
    package var allowsPlainHTTP = false
    /// Whether its servers must be on the public Internet, as Apple's are.
    ///
    /// A connection to an address that no public server can have (loopback, private, documentation
    /// and the like) fails then with ``TransferError/addressRefused(host:_:)`` before anything is
    /// sent. Through a proxy this means nothing: it resolves the name.
    package var publicAddressesOnly = false
    /// The version of IP to connect by, to the proxy where there is one.
    package var addressFamily = AddressFamily.any
    /// How long a connection is used at most, so that connections follow a name to other addresses.
    ///
    /// It ends between two requests, a fifth earlier at random: those of one start do not all end at
    /// once.
    package var connectionLifetime: Duration = .seconds(600)
    /// What ``ServerTrust/systemBundle`` stands for.
    var systemTrust = SystemTrust.ofThisMachine

    /// The defaults, for one identity.
    package init(identity: ClientIdentity?, trust: ServerTrust = .systemBundle) {
        self.identity = identity
        self.trust = trust
    }
}
