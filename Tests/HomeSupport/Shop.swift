package import Clocks
import Database
package import Issuance
import Ledger
package import Merchants
package import PKI
import Registry
package import Secrets
package import TestSupport
package import Vault

/// A home with one merchant, its authorities, and a clock: what each test of an act begins with.
package struct Shop: Sendable {
    package let folder = TemporaryFolder()
    package let clock = ManualClock(Timestamp(seconds: 1_800_000_000))
    package let pki: TestPKI
    package let secret = UnlockSecret.keyFile(.random(count: 32))
    package let home: OpenHome
    package let vault: Vault
    package let merchant: MerchantIdentifier

    package init() async throws {
        pki = try TestPKI(now: clock.now)
        merchant = try MerchantIdentifier("merchant.com.example.shop")
        let layout = HomeLayout(path: folder.file("home"))
        home = try await OpenHome.found(
            layout, secret: secret, clock: clock,
            actor: .user(name: "tester", uid: 1_000, login: 1_000))
        vault = try Vault.open(layout, secret: secret)
        let lab = try EnvironmentName("lab")
        let anchors = [pki.identityRoot, pki.processingRoot].map(\.certificate) + pki.intermediates
        try await home.addEnvironment(
            GatewayEnvironment(
                name: lab, realm: try RealmName("lab"),
                gateway: try GatewayAddress("https://localhost:1"), gatewayCA: nil, proxy: nil,
                isBuiltIn: false), roots: anchors.map { Array($0.pem.utf8) })
        try await home.addMerchant(merchant, environments: [lab], change: MerchantChange())
    }

    package func request(_ kind: CredentialKind) async throws -> RequestedCertificate {
        try await home.request(kind, for: merchant, vault: vault)
    }

    /// What Apple's portal would answer to a CSR.
    package func certificate(
        for csr: CertificateSigningRequest, _ kind: CredentialKind, from: Timestamp? = nil,
        days: Int64 = 760
    ) throws -> Certificate {
        kind == .merchantIdentity
            ? try pki.identity(
                merchant: merchant.text, key: csr.publicKey, from: from ?? clock.now, days: days)
            : try pki.processing(
                merchant: merchant.text, key: csr.publicKey, from: from ?? clock.now, days: days)
    }

    @discardableResult
    package func importing(
        _ certificate: Certificate, key: PrivateKey? = nil
    ) async throws -> ImportedCertificate {
        try await home.importCertificate(
            SecretBytes(copying: certificate.der), keyFile: try key?.pkcs8PEM(), kind: nil,
            for: merchant, vault: vault)
    }

    /// A credential with its certificate.
    package func issued(_ kind: CredentialKind) async throws -> Credential {
        let made = try await request(kind)
        return try await importing(try certificate(for: made.csr, kind)).credential
    }

    package func credentials() async throws -> [Credential] {
        try await home.database.read { try Credentials.list(in: $0) }
    }

    package func state(_ id: CredentialIdentifier) async throws -> CredentialState {
        try await home.database.read { try Credentials.find(id, in: $0).state }
    }

    package func acts() async throws -> [String] {
        try await home.database.read { try Ledger.list(in: $0).map(\.act) }
    }

    package func slot(_ credential: Credential) -> KeySlot {
        KeySlot(credential)
    }
}

extension OpenHome {
    /// One certificate, its key in a file of its own or absent.
    package func importCertificate(
        _ file: SecretBytes, keyFile: SecretBytes?, kind: CredentialKind?,
        for merchant: MerchantIdentifier, vault: Vault
    ) async throws -> ImportedCertificate {
        var order = ImportOrder(file: file)
        order.keyFile = keyFile
        order.kind = kind
        let imported = try await importCertificates(
            ImportFile(order), for: merchant, vault: vault)
        guard let only = imported.first, imported.count == 1 else {
            throw IssuanceError.severalCertificates([])
        }
        return only
    }
}
