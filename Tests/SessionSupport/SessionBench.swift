package import AppleSimulator
import Clocks
import Files
package import Merchants
import PKI
import Secrets
package import Sessions
import TestSupport
package import Transfers
import Vault

/// The stand-in for Apple with a vault whose identities it has certified, for one test.
///
/// Everything between a roster and the gateway is the product's own: keys come from PKCS#12 files,
/// certificates from a CSR, sessions over mutual TLS.
package final class SessionBench: Sendable {
    package static let shop = "merchant.com.example.shop"
    package static let domain = "shop.example.com"

    package let apple: AppleSimulator
    package let loop: TransferLoop
    private let folder = TemporaryFolder()
    private let vault: Vault

    /// Starts a stand-in that knows one merchant with one domain.
    package init(_ change: (inout SimulatorConfiguration) -> Void = { _ in }) throws {
        var configuration = SimulatorConfiguration()
        change(&configuration)
        apple = try AppleSimulator(configuration)
        loop = try TransferLoop()
        let layout = HomeLayout(path: folder.path)
        try Folder.make(layout.keys)
        vault = try Vault.create(
            layout, secret: .keyFile(.random(count: 32)), at: SystemClock().now)
        try apple.portal.register(Self.shop, domains: [Self.domain])
        try apple.start()
    }

    deinit {
        apple.stop()
    }

    // MARK: - What a home would hold

    /// A merchant that may use `environments`.
    package func merchant(
        _ identifier: String = shop, environments: [GatewayEnvironment],
        displayName: String? = "Example Shop"
    ) throws -> Merchant {
        Merchant(
            identifier: try MerchantIdentifier(identifier), realm: try RealmName("lab"),
            environments: environments.map(\.name), name: nil,
            displayName: try displayName.map { try DisplayName($0) }, team: nil, owners: [],
            createdAt: SystemClock().now, retiredAt: nil)
    }

    /// The stand-in's production gateway, or another address under another name.
    package func environment(
        _ name: String = "lab", gateway: String? = nil, proxy: String? = nil
    ) throws -> GatewayEnvironment {
        GatewayEnvironment(
            name: try EnvironmentName(name), realm: try RealmName("lab"),
            gateway: try GatewayAddress(gateway ?? apple.gatewayURL),
            gatewayCA: apple.gatewayCAPEM, proxy: proxy, isBuiltIn: false)
    }

    /// A new identity from the portal, its key taken from the vault again.
    package func identity(
        of identifier: String = shop, faults: Set<CertificateFlaw> = [], days: Int64 = 760
    ) throws -> ActiveIdentity {
        let key = try TestPKI.sharedKey(.rsa2048)
        let csr = try CertificateSigningRequest.make(
            subject: DistinguishedName(commonName: "ignored"), key: key)
        let certificate = try Certificate(
            der: apple.portal.sign(
                csr: csr.der, merchant: identifier, kind: .merchantIdentity, faults: faults,
                days: days))
        let slot = KeySlot(
            merchant: try MerchantIdentifier(identifier), kind: .merchantIdentity,
            publicKeyHash: key.publicKey.sha256)
        try vault.keep(key, certificate: certificate, chain: [], in: slot, replacing: true)
        return try ActiveIdentity(
            credential: .random(),
            certificate: CertificateRecord(
                der: certificate.der, fingerprint: certificate.sha256,
                subject: certificate.subject.rfc4514, serialNumber: certificate.serialNumber,
                notBefore: certificate.notBefore, notAfter: certificate.notAfter,
                teamIdentifier: nil, issuerVerified: true),
            in: slot, of: vault)
    }

    /// A merchant in service, with one domain at the stand-in's gateway.
    ///
    /// `fallback` is the identity before, retiring.
    package func entry(
        _ identifier: String = shop, domain: String = domain, as identity: ActiveIdentity,
        fallback: ActiveIdentity? = nil, proxy: String? = nil
    ) throws -> Roster.Entry {
        let environment = try environment(proxy: proxy)
        return Roster.Entry(
            merchant: try merchant(identifier, environments: [environment]),
            domains: [try DomainName(domain)], environments: [environment],
            identity: .ready(identity), fallback: fallback)
    }

    /// A roster of these merchants, which are all that the home knows.
    package static func roster(_ entries: Roster.Entry...) -> Roster {
        Roster(entries, known: entries.map(\.merchant.identifier))
    }

    /// A desk for the one merchant, with a budget that a test can wait for.
    package func desk(
        total: Duration = .seconds(5), faults: Set<CertificateFlaw> = []
    ) throws -> SessionDesk {
        SessionDesk(
            roster: Self.roster(try entry(as: try identity(faults: faults))), loop: loop,
            budget: SessionDesk.Budget(connect: .seconds(2), total: total))
    }

    /// What a checkout of the one merchant asks for.
    package static func order(domain: String = domain) throws -> SessionOrder {
        SessionOrder(domain: try DomainName(domain), merchant: nil)
    }
}
