import Clocks
import Database
import HomeSupport
import Issuance
import Ledger
import Merchants
import Registry
import Sessions
import TestSupport
import Testing
import Vault

/// Going back to the identity before: by services that have counted, and by a person.
@Suite struct RollbackTests {
    private static let reason = SessionError.certificateRefused(how: "HTTP 403")

    /// A shop whose second identity is in use, and the rollback to the first.
    private func rotated() async throws -> (Shop, Credential, Credential, Rollback) {
        let shop = try await Shop()
        let first = try await shop.issued(.merchantIdentity)
        let second = try await shop.issued(.merchantIdentity)
        for one in [first, second] {
            _ = try await shop.home.activate(one.id, vault: shop.vault, proof: .waived)
        }
        return (shop, first, second, Rollback(shop.merchant, from: second.id, to: first.id))
    }

    private func find(_ shop: Shop, _ one: Credential) async throws -> Credential {
        try await shop.home.database.read { try Credentials.find(one.id, in: $0) }
    }

    @Test func `the old identity is in use again, the loser waits, and one entry says why`()
        async throws
    {
        let (shop, first, second, rollback) = try await rotated()
        shop.clock.move(to: shop.clock.now.adding(seconds: 60))
        let before = try await shop.acts().count
        let service = shop.home.acting(as: .service(user: "purser", uid: 998))
        let outcome = try await service.rollBack(
            rollback, because: Self.reason, failures: 10, vault: shop.vault
        ) { Issue.record($0) }
        let (old, loser) = (try await find(shop, first), try await find(shop, second))
        #expect(outcome == .done(old))
        #expect(old.state == .active && old.rolledBackAt == nil)
        #expect(old.activatedAt == shop.clock.now)
        #expect(loser.state == .issued && loser.rolledBackAt == shop.clock.now)
        let entries = try await shop.home.database.read { try Ledger.list(in: $0) }
        #expect(entries.count == before + 1)
        let entry = try #require(entries.last)
        #expect(entry.act == "certificate.rolled-back" && entry.subject == shop.merchant.text)
        #expect(entry.actor == "service:purser (uid 998)")
        #expect(
            entry.details == [
                "credential": second.id.text, "successor": first.id.text, "failures": "10",
                "reason": "\(Self.reason.code): \(Self.reason.summary)",
            ])
        // Whoever restores the home from its files knows it, too.
        let side = try shop.vault.side(in: shop.slot(second))
        #expect(side?.state == .issued && side?.rolledBackAt == shop.clock.now)
        #expect(try shop.vault.side(in: shop.slot(first))?.state == .active)
        let due = try await shop.home.database.read {
            try Credentials.withSideFileDue(of: shop.merchant, in: $0)
        }
        #expect(due.isEmpty)
    }

    @Test func `of many services one rolls back, and the others are told`() async throws {
        let (shop, _, _, rollback) = try await rotated()
        let before = try await shop.acts().count
        let outcomes = try await withThrowingTaskGroup(of: RollbackOutcome.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    let home = try await OpenHome.open(
                        shop.home.layout, mode: .readWrite, clock: shop.clock,
                        actor: .currentService())
                    return try await home.rollBack(
                        rollback, because: Self.reason, failures: 10, vault: shop.vault)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == .overtaken } == 5)
        #expect(try await shop.acts().count == before + 1)
        _ = try await shop.home.database.read { try Ledger.verify(in: $0) }
    }

    @Test func `what a person has chosen meanwhile stands`() async throws {
        let (shop, first, second, rollback) = try await rotated()
        func expectOvertaken() async throws {
            let before = try await shop.credentials()
            let entries = try await shop.acts().count
            let outcome = try await shop.home.rollBack(
                rollback, because: Self.reason, failures: 10, vault: shop.vault)
            #expect(outcome == .overtaken)
            #expect(try await shop.credentials() == before)
            #expect(try await shop.acts().count == entries)
        }
        // The old one retired: there is nothing to go back to.
        _ = try await shop.home.retire(first.id, vault: shop.vault)
        try await expectOvertaken()
        // A third in use: the loser is not the one in use any more.
        let third = try await shop.issued(.merchantIdentity)
        _ = try await shop.home.activate(third.id, vault: shop.vault, proof: .waived)
        try await expectOvertaken()
        #expect(try await shop.state(second.id) == .retiring)
        try await shop.home.retireMerchant(shop.merchant)
        try await expectOvertaken()
    }

    @Test func `a person goes back, and activates the loser once more`() async throws {
        let (shop, first, second, _) = try await rotated()
        shop.clock.move(to: shop.clock.now.adding(seconds: 60))
        let back = try await shop.home.activate(first.id, vault: shop.vault, proof: .waived)
        #expect(back.rolledBackAt == nil)
        #expect(try await find(shop, second).rolledBackAt == shop.clock.now)
        let again = try await shop.home.activate(second.id, vault: shop.vault, proof: .waived)
        #expect(again.state == .active && again.rolledBackAt == nil)
        #expect(try await find(shop, first).state == .retiring)
        #expect(try await find(shop, first).rolledBackAt == nil)
        #expect(try shop.vault.side(in: shop.slot(second))?.rolledBackAt == nil)
    }
}
