import Clocks
import Database
import Files
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

@Suite struct LifeTests {
    @Test func `a second identity takes over and the first is retiring`() async throws {
        let shop = try await Shop()
        let first = try await shop.issued(.merchantIdentity)
        let second = try await shop.issued(.merchantIdentity)
        _ = try await shop.home.activate(first.id, vault: shop.vault, proof: .waived)
        let active = try await shop.home.activate(second.id, vault: shop.vault, proof: .waived)
        #expect(active.state == .active && active.activatedAt == shop.clock.now)
        #expect(try await shop.state(first.id) == .retiring)
        #expect(try shop.vault.side(in: shop.slot(first))?.state == .retiring)
        let back = try await shop.home.activate(first.id, vault: shop.vault, proof: .waived)
        #expect(back.state == .active)
        #expect(try await shop.state(second.id) == .issued)
        #expect(
            try await shop.acts().suffix(4) == [
                "certificate.retiring", "certificate.activated", "certificate.rolled-back",
                "certificate.activated",
            ])
    }

    @Test func `of many who activate at once each wins whole or not at all`() async throws {
        let shop = try await Shop()
        var candidates: [Credential] = []
        for _ in 0..<4 { candidates.append(try await shop.issued(.merchantIdentity)) }
        await withTaskGroup(of: Void.self) { group in
            for candidate in candidates {
                group.addTask {
                    _ = try? await shop.home.activate(
                        candidate.id, vault: shop.vault, proof: .waived)
                }
            }
        }
        let states = try await shop.credentials().map(\.state)
        #expect(states.count { $0 == .active } == 1)
        #expect(states.count { $0 == .retiring } <= 1)
        _ = try await shop.home.database.read { try Ledger.verify(in: $0) }
    }

    @Test func `a processing certificate is active once its activation is recorded`() async throws {
        let shop = try await Shop()
        let first = try await shop.issued(.paymentProcessing)
        let second = try await shop.issued(.paymentProcessing)
        let now = shop.clock.now
        _ = try await shop.home.recordActivation(first.id, at: now, vault: shop.vault)
        _ = try await shop.home.recordActivation(second.id, at: now, vault: shop.vault)
        #expect(try await shop.state(first.id) == .retiring)
        #expect(try await shop.state(second.id) == .active)
        await #expect(throws: IssuanceError.self) {
            try await shop.home.recordActivation(
                first.id, at: now.adding(days: 1), vault: shop.vault)
        }
        await #expect(throws: MerchantsError.wrongKindForActivate(second.id)) {
            try await shop.home.activate(second.id, vault: shop.vault, proof: .waived)
        }
    }

    @Test func `a day alone is that day, also the one on which the key was made`() async throws {
        let shop = try await Shop()
        let made = try await shop.issued(.paymentProcessing)
        let day = try #require(
            Timestamp(rfc3339: "\(shop.clock.now.description.prefix(10))T00:00:00Z"))
        try #require(day < made.createdAt)
        await #expect(throws: IssuanceError.activationBeforeKey(made.id, made: made.createdAt)) {
            try await shop.home.recordActivation(made.id, at: day, vault: shop.vault)
        }
        await #expect(throws: IssuanceError.self) {
            try await shop.home.recordActivation(
                made.id, at: day.adding(days: -1), wholeDay: true, vault: shop.vault)
        }
        for _ in 0..<2 {
            let active = try await shop.home.recordActivation(
                made.id, at: day, wholeDay: true, vault: shop.vault)
            #expect(active.state == .active && active.activatedAt == made.createdAt)
        }
        let next = try await shop.issued(.paymentProcessing)
        shop.clock.advance(days: 3)
        let later = try await shop.home.recordActivation(
            next.id, at: day.adding(days: 2), wholeDay: true, vault: shop.vault)
        #expect(later.activatedAt == day.adding(days: 2))
    }

    @Test func `a key without a record is explained by the next act`() async throws {
        let shop = try await Shop()
        let lost = try PrivateKey.generate(.rsa2048)
        let slot = KeySlot(
            merchant: shop.merchant, kind: .merchantIdentity,
            publicKeyHash: lost.publicKey.sha256)
        try shop.vault.keep(lost, certificate: nil, chain: [], in: slot, replacing: false)
        let folder = shop.home.layout.folder(shop.merchant, .merchantIdentity)
        try DurableFile.write(
            [1], to: "\(folder)/\(DurableFile.temporaryPrefix)1-x.p12", replacing: false)
        #expect(try await shop.home.lostKeys(of: shop.merchant) == [slot])
        let made = try await shop.request(.merchantIdentity)
        #expect(try await shop.home.lostKeys(of: shop.merchant).isEmpty)
        let adopted = try #require(
            try await shop.credentials().first { $0.publicKeyHash == slot.publicKeyHash })
        #expect(adopted.state == .abandoned)
        #expect(try shop.vault.side(in: slot)?.state == .abandoned)
        #expect(try Folder.names(in: folder).allSatisfy { !$0.hasPrefix(".unfinished") })
        // Its certificate may still turn up.
        let certificate = try shop.pki.identity(
            merchant: shop.merchant.text, key: lost.publicKey, from: shop.clock.now, days: 700)
        #expect(try await shop.importing(certificate).credential.state == .issued)
        #expect(made.credential.state == .requested)
    }

    @Test func `a key that is on its way is not taken for a lost one`() async throws {
        let shop = try await Shop()
        let key = try PrivateKey.generate(.ecP256)
        let slot = KeySlot(
            merchant: shop.merchant, kind: .paymentProcessing,
            publicKeyHash: key.publicKey.sha256)
        let onItsWay = try FileLock.take(shop.home.layout.keysLock, .shared)
        try shop.vault.keep(key, certificate: nil, chain: [], in: slot, replacing: false)
        try await shop.home.settle(shop.merchant, vault: shop.vault)
        #expect(try await shop.credentials().isEmpty)
        #expect(try await shop.home.lostKeys(of: shop.merchant).isEmpty)
        withExtendedLifetime(onItsWay) {}
    }

    @Test func `a side file that a crash left behind is written by the next act`() async throws {
        let shop = try await Shop()
        let identity = try await shop.issued(.merchantIdentity)
        let slot = shop.slot(identity)
        let stale = try #require(try shop.vault.side(in: slot))
        // Retiring a merchant needs no key, so its side files stay behind.
        try await shop.home.retireMerchant(shop.merchant)
        #expect(try shop.vault.side(in: slot) == stale)
        try await shop.home.settleAll(vault: shop.vault) { Issue.record($0) }
        #expect(try shop.vault.side(in: slot)?.state == .abandoned)
    }

    @Test func `an export opens with its password and is in the ledger`() async throws {
        let shop = try await Shop()
        let identity = try await shop.issued(.merchantIdentity)
        let password = SecretBytes(copying: Array("correct horse".utf8))
        let file = try await shop.home.export(identity.id, password: password, vault: shop.vault)
        let opened = try PKCS12.open(file, password: password)
        #expect(opened.key?.publicKey.sha256 == identity.publicKeyHash)
        #expect(opened.certificate?.sha256 == identity.certificate?.fingerprint)
        #expect(try await shop.acts().last == "certificate.exported")
        let pending = try await shop.request(.merchantIdentity)
        await #expect(throws: IssuanceError.noCertificate(pending.credential.id)) {
            try await shop.home.export(
                pending.credential.id, password: password, vault: shop.vault)
        }
    }

    @Test func `a home is founded once, and by one secret`() async throws {
        let folder = TemporaryFolder()
        let layout = HomeLayout(path: folder.file("home"))
        let secret = UnlockSecret.keyFile(.random(count: 32))
        let clock = ManualClock(Timestamp(seconds: 1))
        func found(_ secret: UnlockSecret) async throws {
            _ = try await OpenHome.found(
                layout, secret: secret, clock: clock,
                actor: .user(name: "t", uid: 1, login: nil))
        }
        // As a crash after the first step would leave it.
        try Folder.make(layout.path)
        try Folder.make(layout.keys)
        _ = try Vault.create(layout, secret: secret, at: clock.now)
        await #expect(throws: VaultError.wrongKeyFile) {
            try await found(.keyFile(.random(count: 32)))
        }
        try await found(secret)
        await #expect(throws: VaultError.homeExists(layout.path)) { try await found(secret) }
    }
}

@Suite struct EnvironmentFileTests {
    @Test func `of a file of authorities only the certificates are kept`() async throws {
        let shop = try await Shop()
        let authority = shop.pki.identityRoot.certificate
        let key = try PrivateKey.generate(.ecP256).pkcs8PEM().withUnsafeBytes { Array($0) }
        try await shop.home.addEnvironment(
            GatewayEnvironment(
                name: try EnvironmentName("other"), realm: try RealmName("other"),
                gateway: try GatewayAddress("https://localhost:2"), gatewayCA: nil, proxy: nil,
                isBuiltIn: false), gatewayCA: key + Array(authority.pem.utf8), roots: [])
        let kept = try await shop.home.environments().first { $0.name.text == "other" }
        #expect(kept?.gatewayCA == authority.pem)
    }
}
