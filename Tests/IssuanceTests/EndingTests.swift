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

@Suite struct EndingTests {
    @Test func `a revoked identity in use gives way to the retiring one`() async throws {
        let shop = try await Shop()
        let first = try await shop.issued(.merchantIdentity)
        let second = try await shop.issued(.merchantIdentity)
        for one in [first, second] {
            _ = try await shop.home.activate(one.id, vault: shop.vault, proof: .waived)
        }
        shop.clock.advance(days: 1)
        let ended = try await shop.home.revoke(
            second.id, reason: .keyCompromise, vault: shop.vault)
        #expect(ended.isChanged && ended.credential.state == .revoked)
        #expect(ended.successor?.id == first.id)
        #expect(ended.successor?.state == .active)
        #expect(ended.successor?.activatedAt == shop.clock.now)
        #expect(try shop.vault.side(in: shop.slot(first))?.state == .active)
        #expect(try shop.vault.side(in: shop.slot(second))?.state == .revoked)
        let entries = try await shop.home.database.read { try Ledger.list(in: $0).suffix(2) }
        #expect(entries.map(\.act) == ["certificate.revoked", "certificate.activated"])
        #expect(entries.first?.details?["reason"] == "key-compromise")
        #expect(entries.last?.details?["predecessor"] == second.id.text)

        let again = try await shop.home.revoke(second.id, reason: .superseded, vault: shop.vault)
        #expect(!again.isChanged && again.successor == nil)
        #expect(try await shop.acts().suffix(2) == entries.map(\.act))
        // Its certificate is not taken in again.
        let certificate = try Certificate(der: try #require(second.certificate).der)
        await #expect(throws: IssuanceError.finished(second.id, .revoked)) {
            try await shop.importing(certificate)
        }
        // The last one leaves nobody in use.
        let last = try await shop.home.revoke(first.id, reason: .superseded, vault: shop.vault)
        #expect(last.successor == nil)
    }

    @Test func `what is given up or retired keeps its key, and each act is for its own states`()
        async throws
    {
        let shop = try await Shop()
        let issued = try await shop.issued(.merchantIdentity)
        await #expect(throws: MerchantsError.notRetirable(issued.id, .issued)) {
            try await shop.home.retire(issued.id, vault: shop.vault)
        }
        #expect(
            try await shop.home.abandon(issued.id, vault: shop.vault).credential.state
                == .abandoned)
        #expect(shop.vault.holdsKey(in: shop.slot(issued)))
        #expect(try await shop.acts().last == "certificate.abandoned")

        let first = try await shop.issued(.paymentProcessing)
        let second = try await shop.issued(.paymentProcessing)
        _ = try await shop.home.recordActivation(first.id, at: nil, vault: shop.vault)
        await #expect(throws: MerchantsError.inUse(first.id, .paymentProcessing)) {
            try await shop.home.retire(first.id, vault: shop.vault)
        }
        _ = try await shop.home.recordActivation(second.id, at: nil, vault: shop.vault)
        // Tokens may still arrive under it.
        let date = shop.clock.now.adding(days: 14)
        await #expect(throws: MerchantsError.tooEarlyToRetire(first.id, until: date)) {
            try await shop.home.retire(first.id, vault: shop.vault)
        }
        shop.clock.advance(days: 14)
        let retired = try await shop.home.retire(first.id, vault: shop.vault)
        #expect(retired.isChanged && retired.credential.state == .retired)
        #expect(shop.vault.holdsKey(in: shop.slot(first)))
        #expect(try await !shop.home.retire(first.id, vault: shop.vault).isChanged)
        #expect(try await shop.acts().count { $0 == "certificate.retired" } == 1)
        let end = shop.clock.now.adding(days: 30)
        await #expect(throws: MerchantsError.tooEarlyToDestroy(first.id, until: end)) {
            try await shop.home.destroy(first.id, vault: shop.vault)
        }
        shop.clock.advance(days: 30)
        #expect(try await shop.home.destroy(first.id, vault: shop.vault).isChanged)
    }

    @Test func `a destroyed key is wiped, and its record and side file stay`() async throws {
        let shop = try await Shop()
        let identity = try await shop.issued(.merchantIdentity)
        let slot = shop.slot(identity)
        let path = shop.home.layout.bundle(slot)
        // A second name of the same bytes shows that they were overwritten, not only unlinked.
        let link = shop.folder.file("link")
        _ = try ForeignProcess.run("ln", [path, link])
        let size = shop.folder.read("link").count
        await #expect(throws: MerchantsError.notDestroyable(identity.id, .issued)) {
            try await shop.home.destroy(identity.id, vault: shop.vault)
        }
        _ = try await shop.home.abandon(identity.id, vault: shop.vault)
        let ended = try await shop.home.destroy(identity.id, vault: shop.vault)
        #expect(ended.isChanged && ended.credential.state == .destroyed)
        #expect(!shop.vault.holdsKey(in: slot))
        #expect(shop.folder.read("link") == [UInt8](repeating: 0, count: size))
        #expect(try shop.vault.side(in: slot)?.state == .destroyed)
        #expect(try await shop.acts().last == "certificate.destroyed")
        #expect(try await !shop.home.destroy(identity.id, vault: shop.vault).isChanged)

        // Neither its certificate nor the pair comes back.
        let certificate = try Certificate(der: try #require(identity.certificate).der)
        await #expect(throws: IssuanceError.finished(identity.id, .destroyed)) {
            try await shop.importing(certificate)
        }
        await #expect(throws: IssuanceError.noKeyHere(identity.id)) {
            try await shop.home.export(
                identity.id, password: SecretBytes(copying: [1]), vault: shop.vault)
        }
        #expect(!shop.vault.holdsKey(in: slot))
        _ = try await shop.home.database.read { try Ledger.verify(in: $0) }
    }

    @Test func `a destruction that died after its record is finished by the next act`()
        async throws
    {
        let shop = try await Shop()
        let identity = try await shop.issued(.merchantIdentity)
        _ = try await shop.home.abandon(identity.id, vault: shop.vault)
        let slot = shop.slot(identity)
        // As the crash leaves it: the record is written, the file is still there.
        try await shop.home.database.write { transaction in
            try Credentials.move(
                identity.id, from: [.abandoned], to: .destroyed, at: shop.clock.now,
                in: transaction)
            try Credentials.setSideFileDue(true, of: identity.id, in: transaction)
        }
        try #require(shop.vault.holdsKey(in: slot))
        try await shop.home.settleAll(vault: shop.vault) { Issue.record($0) }
        #expect(!shop.vault.holdsKey(in: slot))
        #expect(try shop.vault.side(in: slot)?.state == .destroyed)
        try await shop.home.settleAll(vault: shop.vault) { Issue.record($0) }
    }

    @Test func `a destroyed key that came back from a copy is wiped again`() async throws {
        let shop = try await Shop()
        let identity = try await shop.issued(.merchantIdentity)
        let path = shop.home.layout.bundle(shop.slot(identity))
        let copy = shop.folder.file("copy")
        _ = try ForeignProcess.run("cp", [path, copy])
        _ = try await shop.home.abandon(identity.id, vault: shop.vault)
        _ = try await shop.home.destroy(identity.id, vault: shop.vault)
        _ = try ForeignProcess.run("cp", [copy, path])
        // Nobody but the person who destroyed it decides that again.
        try await shop.home.settleAll(vault: shop.vault) { Issue.record($0) }
        try #require(shop.vault.holdsKey(in: shop.slot(identity)))
        _ = try await shop.home.destroy(identity.id, vault: shop.vault)
        #expect(!shop.vault.holdsKey(in: shop.slot(identity)))
        #expect(try await shop.acts().count { $0 == "certificate.destroyed" } == 2)
    }

    @Test func `imports that race a destruction never bring the key back`() async throws {
        let shop = try await Shop()
        for _ in 0..<5 {
            let made = try await shop.request(.merchantIdentity)
            let id = made.credential.id
            let certificate = try shop.certificate(for: made.csr, .merchantIdentity)
            _ = try await shop.home.abandon(id, vault: shop.vault)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { _ = try? await shop.importing(certificate) }
                group.addTask { _ = try? await shop.home.destroy(id, vault: shop.vault) }
            }
            let state = try await shop.state(id)
            #expect(state == .issued || state == .destroyed)
            #expect(shop.vault.holdsKey(in: shop.slot(made.credential)) == (state == .issued))
        }
    }

    @Test func `what a retired merchant has left can be revoked and destroyed`() async throws {
        let shop = try await Shop()
        let identity = try await shop.issued(.merchantIdentity)
        _ = try await shop.home.activate(identity.id, vault: shop.vault, proof: .waived)
        try await shop.home.retireMerchant(shop.merchant)
        _ = try await shop.home.revoke(
            identity.id, reason: .cessationOfOperation, vault: shop.vault)
        _ = try await shop.home.destroy(identity.id, vault: shop.vault)
        #expect(try await shop.state(identity.id) == .destroyed)
    }

    @Test func `a key of two credentials is told of when one of them ends`() async throws {
        let shop = try await Shop()
        let key = try PrivateKey.generate(.rsa2048)
        let other = try MerchantIdentifier("merchant.com.example.other")
        try await shop.home.addMerchant(
            other, environments: [try EnvironmentName("lab")], change: MerchantChange())
        var ids: [CredentialIdentifier] = []
        for merchant in [shop.merchant, other] {
            let certificate = try shop.pki.identity(
                merchant: merchant.text, key: key.publicKey, from: shop.clock.now, days: 700)
            ids.append(
                try await shop.home.importCertificate(
                    SecretBytes(copying: certificate.der), keyFile: try key.pkcs8PEM(), kind: nil,
                    for: merchant, vault: shop.vault
                ).credential.id)
        }
        let ended = try await shop.home.revoke(
            ids[0], reason: .keyCompromise, vault: shop.vault)
        #expect(ended.sharing.map(\.id) == [ids[1]])
    }
}
