import Clocks
import Database
import Files
import HomeSupport
import Issuance
import Ledger
import Locks
import Merchants
import PKI
import Registry
import Sessions
import TestSupport
import Testing
import Transfers
import Vault

/// Rotations on a real home with a clock that is moved; the gateway is absent.
@Suite struct RenewingTests {
    private let scope = PolicyScope()

    /// One run of `renew --commit`; what it did, or why not, by name.
    private func renew(_ shop: Shop) async throws -> [String] {
        let loop = try TransferLoop()
        let desk = SessionDesk(roster: Roster([], known: []), loop: loop)
        let done = Locked<[String]>([])
        try await shop.home.renew(scope, vault: shop.vault, desk: desk) { outcome in
            let failure = outcome.failure.map {
                " failed: \(($0 as? IssuanceError)?.code ?? "\($0)")"
            }
            done.withLock {
                $0.append("\(outcome.kind.rawValue) \(outcome.step.name)\(failure ?? "")")
            }
        }
        desk.close()
        await loop.shutDown()
        return done.withLock { $0 }
    }

    private func stage(_ shop: Shop, _ kind: CredentialKind) async throws -> String {
        let rotation = try await shop.home.rotation(of: shop.merchant, kind, scope)
        let steps = rotation.plan.steps.map(\.name).joined(separator: " ")
        return "\(rotation.plan.stage.rawValue): \(steps)"
    }

    @Test func `a processing rotation goes from due to resting, and both keys stay usable`()
        async throws
    {
        let shop = try await Shop()
        let old = try await shop.issued(.paymentProcessing)
        _ = try await shop.home.recordActivation(old.id, at: nil, vault: shop.vault)
        #expect(try await stage(shop, .paymentProcessing) == "resting: ")
        #expect(try await renew(shop) == [])

        shop.clock.advance(days: 760 - 60)
        #expect(try await stage(shop, .paymentProcessing) == "due: request")
        #expect(try await renew(shop) == ["payment-processing request"])
        #expect(try await renew(shop) == [])
        #expect(try await stage(shop, .paymentProcessing) == "requested: submit")

        let requested = try await shop.credentials().first { $0.state == .requested }
        let pending = try #require(requested)
        let csr = try #require(pending.csr)
        let certificate = try shop.certificate(for: .init(der: csr), .paymentProcessing)
        let new = try await shop.importing(certificate).credential
        #expect(new.id == pending.id)
        #expect(try await stage(shop, .paymentProcessing) == "issued: activate-at-apple")
        #expect(try await renew(shop) == [])

        shop.clock.advance(days: 1)
        _ = try await shop.home.recordActivation(new.id, at: nil, vault: shop.vault)
        #expect(try await stage(shop, .paymentProcessing) == "settling: wait")
        // Both are found by the hash that a token names, and both keys open.
        for credential in [old, new] {
            let found = try await shop.home.database.read {
                try Credentials.find(publicKeyHash: credential.publicKeyHash, in: $0)
            }
            #expect(found.map(\.id) == [credential.id])
            _ = try shop.vault.key(in: shop.slot(credential))
        }
        shop.clock.advance(days: 13)
        #expect(try await renew(shop) == [])
        shop.clock.advance(days: 1)
        #expect(try await renew(shop) == ["payment-processing retire"])
        #expect(try await stage(shop, .paymentProcessing) == "resting: ")
        #expect(try await shop.state(old.id) == .retired)
        _ = try shop.vault.key(in: shop.slot(old))
        let seen = try await shop.home.database.read { try Observations.find(.renew, in: $0) }
        #expect(seen?.outcome == "done" && seen?.at == shop.clock.now)
        _ = try await shop.home.database.read { try Ledger.verify(in: $0) }
    }

    @Test func `a rehearsal that says nothing stops the promotion, and no other merchant's steps`()
        async throws
    {
        let shop = try await Shop()
        _ = try await shop.home.addDomain(try DomainName("shop.example.com"), of: shop.merchant)
        var change = MerchantChange()
        change.displayName = try DisplayName("Shop")
        _ = try await shop.home.changeMerchant(shop.merchant, change)
        let first = try await shop.issued(.merchantIdentity)
        _ = try await shop.home.activate(first.id, vault: shop.vault, proof: .waived)
        shop.clock.advance(days: 720)
        #expect(try await renew(shop) == ["merchant-identity request"])
        let requested = try await shop.credentials().first { $0.state == .requested }
        let csr = try #require(requested?.csr)
        let new = try await shop.importing(
            shop.certificate(for: .init(der: csr), .merchantIdentity)
        ).credential
        // Nobody answers at the gateway: nothing is known, so nothing is promoted.
        #expect(
            try await renew(shop)
                == ["merchant-identity promote failed: rehearsal.inconclusive"])
        #expect(try await shop.state(first.id) == .active)
        let seen = try await shop.home.database.read { try Observations.find(.renew, in: $0) }
        #expect(seen?.outcome == "failed")

        _ = try await shop.home.activate(new.id, vault: shop.vault, proof: .waived)
        #expect(try await renew(shop) == [])
        shop.clock.advance(days: 7)
        #expect(try await renew(shop) == ["merchant-identity retire"])
        #expect(try await shop.state(first.id) == .retired)
    }

    @Test func `many that come at once begin one rotation`() async throws {
        let shop = try await Shop()
        let old = try await shop.issued(.paymentProcessing)
        _ = try await shop.home.recordActivation(old.id, at: nil, vault: shop.vault)
        shop.clock.advance(days: 710)
        let begun = Locked(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    if number % 2 == 0 {
                        let done = try await renew(shop)
                        begun.withLock { $0 += done.count }
                    } else {
                        let (_, began) = try await shop.home.rotate(
                            shop.merchant, .paymentProcessing, scope, vault: shop.vault)
                        begun.withLock { $0 += began ? 1 : 0 }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(begun.withLock { $0 } == 1)
        #expect(try await shop.credentials().count == 2)
    }

    @Test func `whoever waits too long for another is told so`() async throws {
        let shop = try await Shop()
        let lock = try #require(try FileLock.tryTake(shop.home.layout.renewLock, .exclusive))
        let loop = try TransferLoop()
        let desk = SessionDesk(roster: Roster([], known: []), loop: loop)
        await #expect(throws: FileError.locked(shop.home.layout.renewLock)) {
            try await shop.home.renew(
                scope, vault: shop.vault, desk: desk, patience: .milliseconds(150)
            ) { _ in }
        }
        await loop.shutDown()
        withExtendedLifetime(lock) {}
    }

    @Test func `a certificate that was changed and a key that is gone are found by explain`()
        async throws
    {
        let shop = try await Shop()
        let identity = try await shop.issued(.merchantIdentity)
        _ = try await shop.home.activate(identity.id, vault: shop.vault, proof: .waived)
        let before = try await shop.home.findings(of: shop.merchant, scope)
        #expect(before.allSatisfy { $0.urgency == .fine })
        try await shop.home.database.write { transaction in
            _ = try transaction.execute("UPDATE certificates SET der = x'3000'", [])
        }
        _ = try ForeignProcess.run("rm", [shop.home.layout.bundle(shop.slot(identity))])
        let after = try await shop.home.findings(of: shop.merchant, scope)
        #expect(
            after.filter { $0.urgency == .critical }.map(\.policy)
                == [.keyElsewhere, .wrongCertificate])
        let stranger = try MerchantIdentifier("merchant.com.example.stranger")
        await #expect(throws: RegistryError.merchantUnknown(stranger)) {
            try await shop.home.findings(of: stranger, scope)
        }
    }
}
