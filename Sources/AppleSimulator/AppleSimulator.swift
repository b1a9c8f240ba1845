package import Clocks
import Locks
import PKI
package import Secrets
import TLSServer

/// A stand-in for Apple: its roots, its portal, and its two gateways; awkward on purpose.
///
/// It refuses to look like production: every name in its certificates has "Simulator (not Apple)",
/// it listens on loopback alone, and it answers to none of Apple's host names. Production and
/// sandbox differ by gateway only, as at Apple: the same merchants and certificates serve both.
package final class AppleSimulator: Sendable {
    /// Signs, activates, revokes and registers.
    package let portal: Portal
    /// What both gateways have seen.
    package let log: RequestLog
    /// PEM: what the gateways' and the portal's own certificates verify to.
    package let gatewayCAPEM: String
    /// PEM: the root of merchant identity certificates.
    package let identityRootPEM: String
    /// PEM: the root of payment processing certificates and of the signer of sessions.
    package let processingRootPEM: String
    /// PEM: what issues merchant identity certificates.
    package let identityIntermediatePEM: String
    /// PEM: what issues payment processing certificates.
    package let processingIntermediatePEM: String

    /// PEM: who may sign OCSP answers about merchant identities, for a responder beside the stand-in
    /// (`openssl ocsp`); the stand-in itself answers none.
    package let identityResponderPEM: String
    /// The key to it, PEM.
    package let identityResponderKeyPEM: SecretBytes

    private let desk: RudenessDesk
    private let production: Gateway
    private let sandbox: Gateway
    private let portalService: PortalService
    private let state: Locked<State>

    private struct State: Sendable {
        var ports: Ports
        var listeners: [TLSListener] = []
    }

    private struct Ports: Sendable {
        var gateway: UInt16
        var sandbox: UInt16
        var portal: UInt16
    }

    /// Mints the authorities and sets everything up; nothing listens yet.
    ///
    /// - Throws: ``SimulatorError/cannotMint(cause:)``, ``SimulatorError/cannotWrite(_:)``.
    package init(
        _ configuration: SimulatorConfiguration = .init(), clock: any WallClock = SystemClock()
    ) throws {
        let now = clock.now
        log = try RequestLog(path: configuration.logPath)
        let desk = RudenessDesk(configuration.rudeness, seed: configuration.seed)
        self.desk = desk
        do {
            let authorities = try AppleAuthorities(now: now)
            let web = try WebAuthority(now: SystemClock().now)
            let portal = Portal(
                mint: CertificateMint(authorities: authorities, ocspURL: configuration.ocspURL),
                clock: clock, team: configuration.team)
            self.portal = portal
            gatewayCAPEM = web.root.certificate.pem
            identityRootPEM = authorities.identityRoot.certificate.pem
            processingRootPEM = authorities.processingRoot.certificate.pem
            identityIntermediatePEM = authorities.identityIntermediate.certificate.pem
            processingIntermediatePEM = authorities.processingIntermediate.certificate.pem
            identityResponderPEM = authorities.identityResponder.certificate.pem
            identityResponderKeyPEM = try authorities.identityResponder.key.pkcs8PEM()
            let issuers = Array((identityRootPEM + identityIntermediatePEM).utf8)
            let rules = GatewayRules(
                requiresActiveProcessing: configuration.requiresActiveProcessing)
            let signer = try SessionSigner(under: authorities.integrationIntermediate, now: now)
            let log = self.log
            func gateway(_ name: String) throws -> Gateway {
                let owners = SessionOwners()
                let admission = ClientAdmission(portal: portal, desk: desk, owners: owners)
                let clients = ClientCertificates(
                    demand: .required, authoritiesPEM: issuers,
                    refusal: { admission.refusal($0, connection: $1) })
                var contexts: [Rudeness.ServerCertificate: TLSContext] = [:]
                for kind in Rudeness.ServerCertificate.allCases {
                    contexts[kind] = try TLSContext(
                        identity: web.identity(kind), clients: clients, clock: clock,
                        newest: configuration.newestTLS, admitsServerName: { !isAppleHost($0) })
                }
                return Gateway(
                    name: name, contexts: contexts, portal: portal, desk: desk, rules: rules,
                    signer: signer, log: log, clock: clock, owners: owners)
            }
            production = try gateway("production")
            sandbox = try gateway("sandbox")
            portalService = PortalService(
                portal: portal, desk: desk, log: log,
                context: try TLSContext(
                    identity: web.identity(.trusted), clock: clock,
                    admitsServerName: { !isAppleHost($0) }))
        } catch {
            throw SimulatorError.cannotMint(cause: error)
        }
        state = Locked(
            State(
                ports: Ports(
                    gateway: configuration.gatewayPort, sandbox: configuration.sandboxPort,
                    portal: configuration.portalPort)))
    }

    deinit {
        stop()
    }

    /// Starts to listen; after a ``stop()`` on the same ports as before.
    ///
    /// Call it once at a time. It throws ``TLSServerError/cannotListen(_:errno:)``.
    package func start() throws {
        let ports = state.withLock { $0.ports }
        let gateway = try TLSListener(port: ports.gateway, name: "gateway", service: production)
        let sandbox = try TLSListener(port: ports.sandbox, name: "sandbox", service: sandbox)
        let portal = try TLSListener(port: ports.portal, name: "portal", service: portalService)
        state.withLock { state in
            state.ports = Ports(gateway: gateway.port, sandbox: sandbox.port, portal: portal.port)
            state.listeners = [gateway, sandbox, portal]
        }
    }

    /// Ends all connections and waits for their threads; what was issued and registered stays.
    package func stop() {
        let listeners = state.withLock { state in
            defer { state.listeners = [] }
            return state.listeners
        }
        for listener in listeners { listener.stop() }
    }

    /// The production gateway, `https://localhost:port`, once it has started.
    package var gatewayURL: String { url(state.withLock { $0.ports.gateway }) }

    /// The sandbox gateway, once it has started.
    package var sandboxGatewayURL: String { url(state.withLock { $0.ports.sandbox }) }

    /// The portal, once it has started.
    package var portalURL: String { url(state.withLock { $0.ports.portal }) }

    /// How awkward the gateways are now; counts run down as they are used up.
    package var rudeness: Rudeness {
        get { desk.rudeness }
        set { desk.rudeness = newValue }
    }

    // A name and not an address, because clients send the name they connect to (SNI) only then.
    private func url(_ port: UInt16) -> String { "https://localhost:\(port)" }
}
