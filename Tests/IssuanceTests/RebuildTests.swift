import Clocks
import Database
import Files
import Glibc
import HomeSupport
import Issuance
import Ledger
import Merchants
import PKI
import Registry
import TestSupport
import Testing
import Vault

@Suite struct RebuildTests {
    /// Loses the database and makes records anew.
    private func rebuild(_ shop: Shop) async throws -> RebuiltHome {
        await shop.home.database.close()
        for suffix in ["", "-wal", "-shm"] { unlink(shop.home.layout.database + suffix) }
        return try await OpenHome.rebuild(
            shop.home.layout, secret: shop.secret, clock: shop.clock, actor: shop.home.actor)
    }

    @Test func `merchants, kinds, states and keys come back as they were`() async throws {
        let shop = try await Shop()
        try await shop.fill()
        let before = try await shop.credentials()
        let rebuilt = try await rebuild(shop)
        #expect(rebuilt.merchants == [shop.merchant] && rebuilt.findings.isEmpty)
        let (home, vault) = try await shop.open("home")
        let after = try await home.database.read { try Credentials.list(in: $0) }
        #expect(after.count == before.count)
        for (one, other) in zip(before, after) {
            #expect(one.id == other.id && one.state == other.state && one.kind == other.kind)
            #expect(one.realm == other.realm && one.publicKeyHash == other.publicKeyHash)
            #expect(one.csr == other.csr && one.keyAlgorithm == other.keyAlgorithm)
            #expect(one.createdAt == other.createdAt && one.activatedAt == other.activatedAt)
            // A destroyed key's certificate went with its file.
            guard one.state != .destroyed else { continue }
            #expect(one.certificate?.fingerprint == other.certificate?.fingerprint)
            #expect(other.certificate?.issuerVerified != true)
            _ = try vault.key(in: shop.slot(other))
        }
        let acts = try await home.database.read { try Ledger.list(in: $0).map(\.act) }
        #expect(acts == ["home.rebuilt"] + after.map { _ in "certificate.rebuilt" })
        #expect(try await home.database.integrityCheck().isEmpty)
        // The realm's environments are given again, and the merchant works on.
        let lab = try EnvironmentName("lab")
        try await home.addEnvironment(
            GatewayEnvironment(
                name: lab, realm: try RealmName("lab"),
                gateway: try GatewayAddress("https://localhost:1"), gatewayCA: nil, proxy: nil,
                isBuiltIn: false), roots: [])
        var change = MerchantChange()
        change.environments = [lab]
        _ = try await home.changeMerchant(shop.merchant, change)
        _ = try await home.request(.merchantIdentity, for: shop.merchant, vault: vault)
    }

    @Test func `what is missing or damaged is told, and keeps nothing else back`() async throws {
        let shop = try await Shop()
        try await shop.fill()
        let all = try await shop.credentials().filter { $0.state != .destroyed }
        let (withoutSide, changedSide, damaged) = (
            shop.slot(all[0]), shop.slot(all[1]), shop.slot(all[2])
        )
        try DurableFile.remove(shop.home.layout.side(withoutSide))
        let side = String(
            decoding: try InputFile.read(shop.home.layout.side(changedSide), limit: 1 << 16),
            as: UTF8.self)
        let state = "\"state\":\"\(all[1].state.rawValue)\""
        #expect(side.contains(state))
        let (before, after) = (
            side[..<side.firstRange(of: state)!.lowerBound],
            side[side.firstRange(of: state)!.upperBound...]
        )
        try DurableFile.write(
            Array("\(before)\"state\":\"retired\"\(after)".utf8),
            to: shop.home.layout.side(changedSide), replacing: true)
        try DurableFile.write([0x30, 0], to: shop.home.layout.bundle(damaged), replacing: true)
        let rebuilt = try await rebuild(shop)
        #expect(
            Set(rebuilt.findings.map(\.path)) == [
                BackupMember.side(withoutSide).path, BackupMember.side(changedSide).path,
                BackupMember.bundle(damaged).path,
            ])
        let states = Dictionary(
            uniqueKeysWithValues: rebuilt.credentials.map { (shop.slot($0), $0.state) })
        // What nobody vouches for is kept, and is not in use.
        #expect(states[withoutSide] == .abandoned && states[changedSide] == .abandoned)
        #expect(states[damaged] == nil)
        #expect(shop.vault.holdsKey(in: damaged))
    }

    @Test func `of two that say active, the later one is`() async throws {
        let shop = try await Shop()
        let first = try await shop.issued(.merchantIdentity)
        let second = try await shop.issued(.merchantIdentity)
        _ = try await shop.home.activate(first.id, vault: shop.vault, proof: .waived)
        let old = try InputFile.read(shop.home.layout.side(shop.slot(first)), limit: 1 << 16)
        shop.clock.advance(days: 1)
        _ = try await shop.home.activate(second.id, vault: shop.vault, proof: .waived)
        // As a crash leaves it between the two side files.
        try DurableFile.write(old, to: shop.home.layout.side(shop.slot(first)), replacing: true)
        let rebuilt = try await rebuild(shop)
        let states = rebuilt.credentials.map { ($0.id, $0.state) }
        #expect(states.contains { $0 == (first.id, .retiring) })
        #expect(states.contains { $0 == (second.id, .active) })
        #expect(rebuilt.findings.count == 1)
    }

    @Test func `a home with a database, or with its log, is refused`() async throws {
        let shop = try await Shop()
        let path = shop.home.layout.path
        await #expect(throws: VaultError.databaseThere(path)) {
            try await OpenHome.rebuild(
                shop.home.layout, secret: shop.secret, clock: shop.clock, actor: shop.home.actor)
        }
        await shop.home.database.close()
        unlink(shop.home.layout.database)
        shop.folder.write("home/purser.db-wal", [1])
        await #expect(throws: VaultError.strayLog(path)) {
            try await OpenHome.rebuild(
                shop.home.layout, secret: shop.secret, clock: shop.clock, actor: shop.home.actor)
        }
    }

    @Test func `a side file speaks for its own key alone`() async throws {
        let shop = try await Shop()
        let first = try await shop.issued(.merchantIdentity)
        let second = try await shop.issued(.merchantIdentity)
        for one in [first, second] {
            _ = try await shop.home.activate(one.id, vault: shop.vault, proof: .waived)
        }
        _ = try await shop.home.revoke(first.id, reason: .keyCompromise, vault: shop.vault)
        let paths = [first, second].map { shop.home.layout.side(shop.slot($0)) }
        let files = try paths.map { try InputFile.read($0, limit: 1 << 16) }
        try DurableFile.write(files[1], to: paths[0], replacing: true)
        try DurableFile.write(files[0], to: paths[1], replacing: true)
        let rebuilt = try await rebuild(shop)
        // The revoked key is not back in use; a person decides.
        #expect(rebuilt.credentials.map(\.state) == [.abandoned, .abandoned])
        #expect(rebuilt.findings.count == 2)
    }

    @Test func `a key is not wiped because a file says that it was`() async throws {
        let shop = try await Shop()
        let credential = try await shop.issued(.paymentProcessing)
        let slot = shop.slot(credential)
        let bundle = try InputFile.read(shop.home.layout.bundle(slot), limit: 1 << 20)
        _ = try await shop.home.abandon(credential.id, vault: shop.vault)
        _ = try await shop.home.destroy(credential.id, vault: shop.vault)
        // From a copy of the home.
        try DurableFile.write(bundle, to: shop.home.layout.bundle(slot), replacing: false)
        let rebuilt = try await rebuild(shop)
        #expect(rebuilt.credentials.map(\.state) == [.abandoned])
        #expect(rebuilt.findings.map(\.path) == [BackupMember.side(slot).path])
        let (home, vault) = try await shop.open("home")
        try await home.settle(shop.merchant, vault: vault)
        #expect(vault.holdsKey(in: slot))
    }

    @Test func `with another master key nothing is made of the records`() async throws {
        let shop = try await Shop()
        try await shop.fill()
        await shop.home.database.close()
        for suffix in ["", "-wal", "-shm"] { unlink(shop.home.layout.database + suffix) }
        try DurableFile.remove(shop.home.layout.master)
        _ = try Vault.create(shop.home.layout, secret: shop.secret, at: shop.clock.now)
        await #expect(throws: VaultError.noKeyOpens(shop.home.layout.path)) {
            try await OpenHome.rebuild(
                shop.home.layout, secret: shop.secret, clock: shop.clock, actor: shop.home.actor)
        }
        #expect(try FileStatus.ifPresent(shop.home.layout.database) == nil)
    }
}
