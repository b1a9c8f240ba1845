import Clocks
import HomeSupport
import Issuance
import Ledger
import Merchants
import PKI
import Registry
import Secrets
import TestSupport
import Testing
import Vault

/// Keys that a payment provider holds: their CSRs, their certificates, and their coming here.
@Suite struct ProviderTests {
    private let provider: ProviderName

    init() throws { provider = try ProviderName("Example Payments") }

    private func request(_ key: PrivateKey) throws -> CertificateSigningRequest {
        try CertificateSigningRequest.make(subject: DistinguishedName([]), key: key)
    }

    private func record(
        _ csr: CertificateSigningRequest, _ kind: CredentialKind, _ shop: Shop,
        by provider: ProviderName? = nil
    ) async throws -> RecordedRequest {
        try await shop.home.recordRequest(
            RequestFile(SecretBytes(copying: csr.der)), kind, for: shop.merchant,
            provider: provider ?? self.provider)
    }

    private func importing(
        _ key: PrivateKey, _ kind: CredentialKind, _ shop: Shop, certificate: Certificate? = nil
    ) async throws -> ImportedCertificate {
        var order = ImportOrder(
            file: SecretBytes(copying: try key.pkcs8PEM().revealed + (certificate?.pem ?? "").utf8))
        order.kind = kind
        let imported = try await shop.home.importCertificates(
            ImportFile(order), for: shop.merchant, vault: shop.vault)
        return try #require(imported.first)
    }

    @Test func `a CSR is recorded, once, and its certificate recognised`() async throws {
        let shop = try await Shop()
        let key = try PrivateKey.generate(.ecP256)
        let csr = try request(key)
        let recorded = try await record(csr, .paymentProcessing, shop)
        #expect(recorded.isNew && recorded.credential.state == .requested)
        #expect(recorded.credential.custody == .provider && recorded.credential.csr == csr.der)
        let again = try await record(csr, .paymentProcessing, shop)
        #expect(!again.isNew && again.credential == recorded.credential)
        let other = try ProviderName("Another")
        await #expect(
            throws: IssuanceError.heldElsewhere(
                recorded.credential.id, holder: "Example Payments")
        ) { _ = try await record(csr, .paymentProcessing, shop, by: other) }
        let acts = try await shop.acts().filter { $0 == "certificate.requested" }
        #expect(acts.count == 1)

        let leaf = try shop.certificate(for: csr, .paymentProcessing)
        let imported = try await shop.importing(leaf)
        #expect(imported.credential.id == recorded.credential.id)
        #expect(imported.credential.state == .issued)
        #expect(imported.credential.custody == .provider)
        #expect(!shop.vault.holdsKey(in: shop.slot(imported.credential)))
    }

    @Test func `every form of a CSR is read, and what Apple would refuse is refused`() async throws
    {
        let shop = try await Shop()
        let csr = try request(try TestPKI.sharedKey(.rsa2048))
        for text in [csr.pem, csr.pem.replacing("\n", with: " "), Base64.encode(csr.der)] {
            let file = try RequestFile(SecretBytes(copying: text.utf8))
            #expect(file.request.der == csr.der)
        }
        #expect(throws: IssuanceError.severalRequests(2)) {
            let second = try request(try PrivateKey.generate(.ecP256))
            _ = try RequestFile(SecretBytes(copying: (csr.pem + second.pem).utf8))
        }
        #expect(throws: IssuanceError.requestWithKey) {
            let key = try TestPKI.sharedKey(.rsa2048).pkcs8PEM().revealed
            _ = try RequestFile(SecretBytes(copying: Array(csr.pem.utf8) + key))
        }
        #expect(throws: IssuanceError.self) {
            let leaf = try shop.certificate(for: csr, .merchantIdentity)
            _ = try RequestFile(SecretBytes(copying: leaf.der))
        }
        var forged = csr.der
        forged[forged.count - 1] ^= 1
        #expect(throws: IssuanceError.requestUnsigned) {
            _ = try RequestFile(SecretBytes(copying: forged))
        }
        await #expect(
            throws: IssuanceError.requestWrongKey("RSA 2048", kind: .paymentProcessing)
        ) { _ = try await record(csr, .paymentProcessing, shop) }
        let small = try ForeignProcess.run(
            "openssl",
            ["req", "-new", "-newkey", "rsa:1024", "-nodes", "-keyout", "/dev/null", "-subj", "/"])
        await #expect(throws: IssuanceError.requestWrongKey("RSA 1024", kind: .merchantIdentity)) {
            _ = try await shop.home.recordRequest(
                RequestFile(SecretBytes(copying: small.output)), .merchantIdentity,
                for: shop.merchant, provider: provider)
        }
        // One that was made here.
        let ours = try await shop.request(.merchantIdentity)
        await #expect(
            throws: IssuanceError.heldElsewhere(ours.credential.id, holder: "this home")
        ) { _ = try await record(ours.csr, .merchantIdentity, shop) }
        #expect(try await shop.credentials().count == 1)
    }

    @Test func `what needs the key is refused, and the rest of its life is recorded`() async throws
    {
        let shop = try await Shop()
        let csr = try request(try TestPKI.sharedKey(.rsa2048))
        let id = try await record(csr, .merchantIdentity, shop).credential.id
        try await shop.importing(try shop.certificate(for: csr, .merchantIdentity))
        await #expect(throws: MerchantsError.keyElsewhere(id)) {
            _ = try await shop.home.activate(id, vault: shop.vault, proof: .waived)
        }
        await #expect(throws: IssuanceError.noKeyHere(id)) {
            _ = try await shop.home.export(
                id, password: SecretBytes(copying: "secret".utf8), vault: shop.vault)
        }
        await #expect(throws: MerchantsError.keyNotOurs(id)) {
            _ = try await shop.home.destroy(id, vault: shop.vault)
        }
        let earlier = shop.clock.now.adding(days: -3)
        let active = try await shop.home.recordActivation(id, at: earlier, vault: shop.vault)
        #expect(active.state == .active && active.activatedAt == earlier)
        #expect(
            try await shop.home.retire(id, vault: shop.vault).credential.state == .retired)
        let revoked = try await shop.home.revoke(id, reason: .superseded, vault: shop.vault)
        #expect(revoked.credential.state == .revoked)
        let second = try await record(
            request(try PrivateKey.generate(.ecP256)), .paymentProcessing, shop)
        let given = try await shop.home.abandon(second.credential.id, vault: shop.vault)
        #expect(given.credential.state == .abandoned)
    }

    @Test(arguments: CredentialKind.allCases)
    func `a provider's key comes here, alone or with its certificate`(_ kind: CredentialKind)
        async throws
    {
        for isAlone in [true, false] {
            let shop = try await Shop()
            let key = try PrivateKey.generate(kind == .paymentProcessing ? .ecP256 : .rsa2048)
            let csr = try request(key)
            let id = try await record(csr, kind, shop).credential.id
            let leaf = try shop.certificate(for: csr, kind)
            if isAlone { try await shop.importing(leaf) }
            let taken = try await importing(key, kind, shop, certificate: isAlone ? nil : leaf)
            #expect(taken.isNew && taken.credential.id == id)
            #expect(taken.credential.custody == .local && taken.credential.provider == nil)
            #expect(taken.credential.state == .issued)
            let slot = shop.slot(taken.credential)
            #expect(try shop.vault.key(in: slot).certificate == leaf)
            #expect(try shop.vault.side(in: slot)?.id == id.text)
            #expect(try await shop.acts().last?.hasPrefix("certificate.") == true)
            #expect(try await shop.acts().contains("certificate.taken-over"))
            // Once more is the same as once.
            let again = try await importing(key, kind, shop, certificate: leaf)
            #expect(!again.isNew && again.credential == taken.credential)
            let entries = try await shop.acts().filter { $0 == "certificate.taken-over" }
            #expect(entries.count == 1)
        }
    }

    @Test func `a provider's active identity stays so, unless one is in use here`() async throws {
        for isRivalled in [false, true] {
            let shop = try await Shop()
            if isRivalled {
                let ours = try await shop.issued(.merchantIdentity)
                _ = try await shop.home.activate(ours.id, vault: shop.vault, proof: .waived)
            }
            let key = try PrivateKey.generate(.rsa2048)
            let csr = try request(key)
            let id = try await record(csr, .merchantIdentity, shop).credential.id
            try await shop.importing(try shop.certificate(for: csr, .merchantIdentity))
            _ = try await shop.home.recordActivation(id, at: nil, vault: shop.vault)
            let taken = try await importing(key, .merchantIdentity, shop)
            #expect(taken.credential.state == (isRivalled ? .issued : .active))
            #expect(taken.warnings.contains { $0.text.contains("Example Payments") })
            let selected = try await shop.credentials().filter {
                $0.state == .active && $0.custody == .local
            }
            #expect(selected.count == 1)
            // It is one of ours in every respect.
            if isRivalled {
                let promoted = try await shop.home.activate(id, vault: shop.vault, proof: .waived)
                #expect(promoted.state == .active)
            }
        }
    }

    @Test func `a takeover that died after its first step is finished by the next act`()
        async throws
    {
        let shop = try await Shop()
        let key = try PrivateKey.generate(.ecP256)
        let recorded = try await record(try request(key), .paymentProcessing, shop).credential
        try shop.vault.keep(
            key, certificate: nil, chain: [], in: shop.slot(recorded), replacing: false)
        #expect(try await shop.home.lostKeys(of: shop.merchant) == [shop.slot(recorded)])
        _ = try await shop.request(.merchantIdentity)
        let found = try #require(
            try await shop.credentials().first { $0.id == recorded.id })
        #expect(found.custody == .local && found.state == .requested)
        #expect(try shop.vault.side(in: shop.slot(found))?.id == recorded.id.text)
        #expect(try await shop.home.lostKeys(of: shop.merchant).isEmpty)
    }

    @Test func `a key whose credential was revoked is not taken`() async throws {
        let shop = try await Shop()
        let key = try PrivateKey.generate(.ecP256)
        let id = try await record(try request(key), .paymentProcessing, shop).credential.id
        _ = try await shop.home.revoke(id, reason: .keyCompromise, vault: shop.vault)
        await #expect(throws: IssuanceError.finished(id, .revoked)) {
            _ = try await importing(key, .paymentProcessing, shop)
        }
        #expect(try await shop.state(id) == .revoked)
        await #expect(throws: IssuanceError.finished(id, .revoked)) {
            _ = try await record(try request(key), .paymentProcessing, shop)
        }
    }
}
