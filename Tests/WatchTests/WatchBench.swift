import AppleSimulator
import Clocks
import Database
import Issuance
import Ledger
import Merchants
import PKI
import Registry
import Secrets
import Sessions
import TestSupport
import Testing
import Transfers
import Vault
import Watch

/// A home with one merchant of two domains, whose clock is a minute behind the machine's, and the
/// checks of its network.
struct WatchBench {
    static let domains = ["a.example.com", "b.example.com"]

    let folder = TemporaryFolder()
    let clock = ManualClock(OCSPResponder.now.adding(seconds: -60))
    let home: OpenHome
    let vault: Vault
    let loop: TransferLoop
    let merchant: MerchantIdentifier

    /// Everything of the environment `lab` but its name and realm.
    struct Lab {
        var gateway = "https://localhost:1"
        var gatewayCA: String?
        var proxy: String?
        var anchors: [Certificate] = []
        var displayName: String? = "Example Shop"
        var domains = WatchBench.domains
    }

    init(_ lab: Lab) async throws {
        merchant = try MerchantIdentifier("merchant.com.example.shop")
        let layout = HomeLayout(path: folder.file("home"))
        let secret = UnlockSecret.keyFile(.random(count: 32))
        home = try await OpenHome.found(
            layout, secret: secret, clock: clock,
            actor: .user(name: "tester", uid: 1_000, login: 1_000))
        vault = try Vault.open(layout, secret: secret)
        loop = try TransferLoop()
        try await addEnvironment("lab", lab)
        var change = MerchantChange()
        change.displayName = try lab.displayName.map { try DisplayName($0) }
        try await home.addMerchant(
            merchant, environments: [EnvironmentName("lab")], change: change)
        for domain in lab.domains {
            try await home.addDomain(DomainName(domain), of: merchant)
        }
    }

    /// A bench at a stand-in's gateway.
    init(at apple: AppleSimulator, domains: [String] = domains) async throws {
        var lab = Lab()
        lab.gateway = apple.gatewayURL
        lab.gatewayCA = apple.gatewayCAPEM
        lab.domains = domains
        lab.anchors = try [
            apple.identityRootPEM, apple.identityIntermediatePEM, apple.processingRootPEM,
            apple.processingIntermediatePEM,
        ].map { try Certificate(pem: Array($0.utf8)) }
        try await self.init(lab)
    }

    func addEnvironment(_ name: String, _ lab: Lab) async throws {
        try await home.addEnvironment(
            GatewayEnvironment(
                name: try EnvironmentName(name), realm: try RealmName("lab"),
                gateway: try GatewayAddress(lab.gateway), gatewayCA: nil, proxy: lab.proxy,
                isBuiltIn: false), gatewayCA: lab.gatewayCA.map { Array($0.utf8) },
            roots: lab.anchors.map { Array($0.pem.utf8) })
    }

    /// A credential in use, certified by `sign`; `chain` is imported with it.
    @discardableResult
    func activate(
        _ kind: CredentialKind = .merchantIdentity, chain: [Certificate] = [],
        sign: (CertificateSigningRequest) throws -> Certificate
    ) async throws -> (Credential, Certificate) {
        let made = try await home.request(kind, for: merchant, vault: vault)
        let certificate = try sign(made.csr)
        let file = ([certificate] + chain).map(\.pem).joined()
        let imported = try await home.importCertificates(
            ImportFile(ImportOrder(file: SecretBytes(copying: file.utf8))), for: merchant,
            vault: vault)
        let id = try #require(imported.first?.credential.id)
        let active =
            kind == .merchantIdentity
            ? try await home.activate(id, vault: vault, proof: .waived)
            : try await home.recordActivation(id, at: nil, vault: vault)
        return (active, certificate)
    }

    func checks(
        _ change: (inout NetworkChecks.Limits) -> Void = { _ in }
    ) -> NetworkChecks {
        var limits = NetworkChecks.Limits()
        limits.each = .seconds(5)
        limits.askAfter = 0
        limits.repeatAfter = 0
        // Nobody is asked for example.com.
        limits.domainHours = 0
        change(&limits)
        return NetworkChecks(home: home, vault: vault, loop: loop, limits: limits)
    }

    /// Runs the checks and expects no errors but that the other side was silent.
    func run(_ change: (inout NetworkChecks.Limits) -> Void = { _ in }) async {
        let errors = await checks(change).run().filter { error in
            switch error as? NetworkCheckError {
            case .issuersSilent, .rehearsalsInconclusive: false
            default: true
            }
        }
        #expect(errors.isEmpty, "\(errors)")
    }

    func seen(_ sort: Observation.Sort, _ subject: String) async throws -> Observation? {
        try await home.database.read { try Observations.find(sort, of: subject, in: $0) }
    }

    func outcome(_ sort: Observation.Sort, _ credential: Credential) async throws -> String? {
        try await seen(sort, credential.id.text)?.outcome
    }

    func standings() async throws -> [DomainStanding] {
        let merchant = merchant
        return try await home.database.read { try Domains.standings(of: merchant, in: $0) }
    }

    /// The outcomes of the rehearsals in the ledger.
    func rehearsals() async throws -> [String] {
        try await home.database.read { transaction in
            try Ledger.list(LedgerFilter(act: .certificateRehearsed), in: transaction)
                .map { $0.details?["outcome"] ?? "" }
        }
    }
}
