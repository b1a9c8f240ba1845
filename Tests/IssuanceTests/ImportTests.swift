import Clocks
import HomeSupport
import Issuance
import Merchants
import PKI
import Registry
import Secrets
import TestSupport
import Testing
import Vault

@Suite struct ImportTests {
    @Test(arguments: CredentialKind.allCases)
    func `a certificate finds the key of its CSR`(kind: CredentialKind) async throws {
        let shop = try await Shop()
        let made = try await shop.request(kind)
        let certificate = try shop.certificate(for: made.csr, kind)
        let imported = try await shop.importing(certificate)
        #expect(imported.credential.id == made.credential.id)
        #expect(imported.credential.state == .issued)
        #expect(imported.credential.certificate?.issuerVerified == true)
        #expect(imported.warnings.isEmpty)
        let kept = try shop.vault.key(in: shop.slot(imported.credential))
        #expect(kept.certificate == certificate)
        #expect(try shop.vault.side(in: shop.slot(imported.credential))?.state == .issued)
    }

    @Test(arguments: CredentialKind.allCases)
    func `one key for two merchants is warned of at each import`(
        kind: CredentialKind
    ) async throws {
        let shop = try await Shop()
        let key = try PrivateKey.generate(kind == .merchantIdentity ? .rsa2048 : .ecP256)
        func take(_ merchant: String) async throws -> ImportedCertificate {
            let name = try MerchantIdentifier(merchant)
            if name != shop.merchant {
                try await shop.home.addMerchant(
                    name, environments: [try EnvironmentName("lab")], change: MerchantChange())
            }
            let certificate =
                kind == .merchantIdentity
                ? try shop.pki.identity(
                    merchant: merchant, key: key.publicKey, from: shop.clock.now, days: 760)
                : try shop.pki.processing(
                    merchant: merchant, key: key.publicKey, from: shop.clock.now, days: 760)
            return try await shop.home.importCertificate(
                SecretBytes(copying: certificate.der), keyFile: try key.pkcs8PEM(), kind: nil,
                for: name, vault: shop.vault)
        }
        let first = try await take("merchant.com.example.shop")
        #expect(first.warnings == [])
        let second = try await take("merchant.com.example.other")
        #expect(second.isNew && second.warnings.count == 1)
        #expect(second.warnings.first?.text.contains("merchant.com.example.shop") == true)
        #expect(second.warnings.first?.text.contains(first.credential.id.text) == true)
        // The first one's next import tells of it too, and a third of both.
        #expect(
            try await shop.home.importCertificate(
                SecretBytes(copying: try #require(first.credential.certificate).der), keyFile: nil,
                kind: nil, for: shop.merchant, vault: shop.vault
            ).warnings.first?.text.contains("merchant.com.example.other") == true)
        let third = try await take("merchant.com.example.third")
        #expect(third.warnings.first?.text.contains("1 more") == true)
    }

    @Test func `a certificate of unknown issuer is taken in with the next step`() async throws {
        let shop = try await Shop()
        let bare = try EnvironmentName("bare")
        try await shop.home.addEnvironment(
            GatewayEnvironment(
                name: bare, realm: try RealmName("bare"),
                gateway: try GatewayAddress("https://localhost:2"), gatewayCA: nil, proxy: nil,
                isBuiltIn: false), roots: [])
        let other = try MerchantIdentifier("merchant.com.example.other")
        try await shop.home.addMerchant(other, environments: [bare], change: MerchantChange())
        let key = try PrivateKey.generate(.rsa2048)
        let certificate = try shop.pki.identity(
            merchant: other.text, key: key.publicKey, from: shop.clock.now, days: 760)
        let imported = try await shop.home.importCertificate(
            SecretBytes(copying: certificate.der), keyFile: try key.pkcs8PEM(), kind: nil,
            for: other, vault: shop.vault)
        let warning = try #require(imported.warnings.first)
        #expect(warning.text.contains("not among the roots of realm bare"))
        #expect(warning.hint?.contains("environment add NAME --realm bare") == true)
    }

    @Test func `importing twice is the same as once`() async throws {
        let shop = try await Shop()
        let made = try await shop.request(.merchantIdentity)
        let certificate = try shop.certificate(for: made.csr, .merchantIdentity)
        #expect(try await shop.importing(certificate).isNew)
        let acts = try await shop.acts()
        #expect(try await !shop.importing(certificate).isNew)
        #expect(try await shop.acts() == acts)
        #expect(try await shop.credentials().count == 1)
    }

    @Test func `a later certificate for a known key is added and moves nothing`() async throws {
        let shop = try await Shop()
        let made = try await shop.request(.merchantIdentity)
        try await shop.importing(try shop.certificate(for: made.csr, .merchantIdentity))
        _ = try await shop.home.activate(made.credential.id, vault: shop.vault, proof: .waived)
        shop.clock.advance(days: 30)
        let longer = try shop.certificate(for: made.csr, .merchantIdentity, from: shop.clock.now)
        let imported = try await shop.importing(longer)
        #expect(imported.credential.state == .active)
        #expect(imported.credential.certificate?.fingerprint == longer.sha256)
        #expect(try shop.vault.key(in: shop.slot(imported.credential)).certificate == longer)
    }

    @Test func `of two certificates the one valid longest is in use, whatever came last`()
        async throws
    {
        let shop = try await Shop()
        let made = try await shop.request(.merchantIdentity)
        let longer = try shop.certificate(for: made.csr, .merchantIdentity, days: 760)
        try await shop.importing(longer)
        let shorter = try shop.certificate(for: made.csr, .merchantIdentity, days: 100)
        let imported = try await shop.importing(shorter)
        #expect(imported.credential.certificate?.fingerprint == longer.sha256)
        #expect(try shop.vault.key(in: shop.slot(imported.credential)).certificate == longer)
    }

    @Test func `a certificate with its key makes a credential, and repeats as one`() async throws {
        let shop = try await Shop()
        let key = try PrivateKey.generate(.ecP256)
        let certificate = try shop.pki.processing(
            merchant: shop.merchant.text, key: key.publicKey, from: shop.clock.now, days: 700)
        let first = try await shop.importing(certificate, key: key)
        #expect(first.credential.state == .issued)
        #expect(first.credential.kind == .paymentProcessing)
        let again = try await shop.importing(certificate, key: key)
        #expect(again.credential.id == first.credential.id && !again.isNew)
    }

    @Test func `an expired processing pair is taken in as retired, an identity is not`()
        async throws
    {
        let shop = try await Shop()
        let past = shop.clock.now.adding(days: -800)
        let key = try PrivateKey.generate(.ecP256)
        let pair = try shop.pki.processing(
            merchant: shop.merchant.text, key: key.publicKey, from: past, days: 700)
        #expect(try await shop.importing(pair, key: key).credential.state == .retired)
        let other = try PrivateKey.generate(.rsa2048)
        let identity = try shop.pki.identity(
            merchant: shop.merchant.text, key: other.publicKey, from: past, days: 700)
        let fault = await #expect(throws: CertificateFault.self) {
            try await shop.importing(identity, key: other)
        }
        #expect(fault?.code == "certificate.expired")
    }

    @Test func `what is refused leaves no trace`() async throws {
        let shop = try await Shop()
        let made = try await shop.request(.merchantIdentity)
        let before = (try await shop.credentials(), try await shop.acts())
        let file = try shop.vault.key(in: shop.slot(made.credential))
        let stranger = try PrivateKey.generate(.rsa2048)
        let wrong: [Certificate] = [
            try shop.pki.identity(
                merchant: "merchant.com.example.other", key: made.csr.publicKey,
                from: shop.clock.now, days: 700),
            try shop.pki.identity(
                merchant: shop.merchant.text, key: stranger.publicKey, from: shop.clock.now,
                days: 700),
            try shop.certificate(
                for: made.csr, .merchantIdentity, from: shop.clock.now.adding(days: 1)),
            shop.pki.identityRoot.certificate,
        ]
        for certificate in wrong {
            await #expect(throws: (any Error).self) { try await shop.importing(certificate) }
        }
        #expect(try await shop.credentials() == before.0)
        #expect(try await shop.acts() == before.1)
        #expect(file.certificate == nil)
    }

    @Test func `a key that does not fit its certificate is refused`() async throws {
        let shop = try await Shop()
        let key = try PrivateKey.generate(.ecP256)
        let other = try PrivateKey.generate(.ecP256)
        let certificate = try shop.pki.processing(
            merchant: shop.merchant.text, key: key.publicKey, from: shop.clock.now, days: 700)
        await #expect(throws: IssuanceError.keyDoesNotFit) {
            try await shop.importing(certificate, key: other)
        }
    }

    // Where a field that decides stands twice, nobody can say which one Apple meant.
    @Test(
        arguments: [
            [
                .extra(oid: "1.2.3.4", value: DER.null),
                .extra(oid: "1.2.3.4", value: DER.null, copy: 1),
            ],
            [.extra(oid: OID.appleMerchantHash, value: DER.utf8String("x"))],
            [.extra(oid: OID.appleMerchantIdentity, value: DER.null)],
            [.extra(oid: OID.keyUsage, value: DER.bitString([0]))],
            [.extra(oid: OID.basicConstraints, value: DER.sequence([]))],
            [.extra(oid: OID.extendedKeyUsage, value: DER.sequence([]))],
            [.extra(oid: OID.subjectAlternativeName, value: [0x04, 0x01])],
            [.extra(oid: "1.2" + String(repeating: ".3", count: 600), value: DER.null)],
            [.secondUserID("merchant.com.example.other")],
            [.secondUserID("merchant.com.example.shop")],
        ] as [Set<TestPKI.Flaw>])
    func `a certificate with a field twice, or one that cannot be read, is refused`(
        flaws: Set<TestPKI.Flaw>
    ) async throws {
        let shop = try await Shop()
        let made = try await shop.request(.merchantIdentity)
        let certificate = try shop.pki.identity(
            merchant: shop.merchant.text, key: made.csr.publicKey, from: shop.clock.now,
            flaws: flaws)
        await #expect(throws: IssuanceError.certificateDamaged) {
            try await shop.importing(certificate)
        }
        #expect(try await shop.state(made.credential.id) == .requested)
    }

    @Test func `an extension that nobody knows, once and not critical, is no fault`() async throws {
        let shop = try await Shop()
        let made = try await shop.request(.merchantIdentity)
        let certificate = try shop.pki.identity(
            merchant: shop.merchant.text, key: made.csr.publicKey, from: shop.clock.now,
            flaws: [.extra(oid: "1.2.3.4", value: DER.null)])
        #expect(try await shop.importing(certificate).credential.state == .issued)
    }
}
