import Clocks
import Locks
package import Merchants
import PKI

/// The stand-in for Apple's developer portal: registers merchants and domains, signs requests or
/// refuses them in Apple's words, activates and revokes.
package final class Portal: Sendable {
    private let mint: CertificateMint
    private let clock: any WallClock
    private let team: String
    private let records = Locked(PortalRecords())

    init(mint: CertificateMint, clock: any WallClock, team: String) {
        self.mint = mint
        self.clock = clock
        self.team = team
    }

    /// Registers a merchant, or replaces what is registered of it; nil takes the portal's team.
    ///
    /// - Throws: ``SimulatorError/badMerchant(cause:)``, ``SimulatorError/appleHost(_:)``.
    package func register(_ merchant: String, domains: [String], team: String? = nil) throws {
        let identifier: MerchantIdentifier
        let names: [DomainName]
        do {
            identifier = try MerchantIdentifier(merchant)
            names = try domains.map { try DomainName($0) }
        } catch {
            throw SimulatorError.badMerchant(cause: error)
        }
        if let name = names.first(where: { isAppleHost($0.text) }) {
            throw SimulatorError.appleHost(name.text)
        }
        records.withLock {
            $0.merchants[identifier.text] = .init(
                team: team ?? self.team, domains: Set(names.map(\.text)))
        }
    }

    /// Signs a request (PEM or DER) and gives the certificate alone, DER, as Apple's `.cer` files.
    ///
    /// The request's subject is ignored. `days` and `faults` make what Apple never would.
    ///
    /// - Throws: ``SimulatorError``, whose ``SimulatorError/portalWords`` are Apple's where known.
    package func sign(
        csr: [UInt8], merchant: String, kind: CredentialKind,
        faults: Set<CertificateFlaw> = [], days: Int64 = 760
    ) throws -> [UInt8] {
        let request: CertificateSigningRequest
        do {
            // A DER request begins with SEQUENCE; no PEM text begins with the letter 0 of that code.
            request =
                csr.first == 0x30
                ? try CertificateSigningRequest(der: csr) : try CertificateSigningRequest(pem: csr)
        } catch {
            throw SimulatorError.unreadableRequest(cause: error)
        }
        let needed: KeyAlgorithm = kind.requiredKey == .rsa2048 ? .rsa2048 : .ecP256
        guard request.publicKey.algorithm == needed else {
            throw SimulatorError.wrongKey(expected: kind.requiredKey)
        }
        guard request.verifySignature() else { throw SimulatorError.badRequestSignature }
        let now = clock.now
        let registered = records.withLock { $0.merchants[merchant] }
        guard let registered else { throw SimulatorError.unknownMerchant(merchant) }
        let certificate: Certificate
        do {
            certificate = try mint.issue(
                kind, for: merchant, team: registered.team, key: request.publicKey, now: now,
                days: days, faults: faults)
        } catch {
            throw SimulatorError.cannotMint(cause: error)
        }
        try records.withLock { records in
            if faults.isEmpty { try records.checkLimit(kind, of: merchant, now: now) }
            records.add(
                IssuedCertificate(
                    certificate: certificate, merchant: merchant, kind: kind,
                    isFaulty: !faults.isEmpty),
                now: now)
        }
        return certificate.der
    }

    /// Activates a processing certificate: at once, and never undone.
    package func activate(serialNumber: String) throws {
        try records.withLock { try $0.activate(serialNumber, now: clock.now) }
    }

    /// Revokes a certificate; the gateway refuses it from the next request on.
    package func revoke(serialNumber: String) throws {
        try records.withLock { try $0.revoke(serialNumber, now: clock.now) }
    }

    /// Makes the gateways refuse these identities, by serial number, and no others any more.
    ///
    /// - Throws: ``SimulatorError/unknownCertificate(_:)``.
    package func refuse(_ refusals: [String: IdentityRefusal]) throws {
        try records.withLock { try $0.refuse(refusals) }
    }

    /// What has been issued to `merchant`, oldest first; to everybody when nil.
    package func certificates(of merchant: String? = nil) -> [IssuedCertificate] {
        records.withLock { $0.certificates }.filter { merchant == nil || $0.merchant == merchant }
    }

    /// A look at everything, for the gateway's checks.
    func inspect<Result>(_ body: (PortalRecords) -> Result) -> Result {
        records.withLock { body($0) }
    }
}
