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

/// Unlockers and rotations, as acts with their entries in the ledger.
@Suite struct MasterKeyTests {
    private func entries(_ shop: Shop, _ count: Int) async throws -> [LedgerRecord] {
        try await shop.home.database.read { try Ledger.list(in: $0).suffix(count) }
    }

    @Test func `all keys are under the new vault key, and the ledger says when it began and ended`()
        async throws
    {
        let shop = try await Shop()
        let identity = try await shop.issued(.merchantIdentity)
        let pending = try await shop.request(.paymentProcessing).credential
        let passphrase = UnlockSecret.passphrase(SecretBytes(copying: Array("correct".utf8)))
        let recovery = RecoveryKey.random()
        for secret in [passphrase, recovery.secret] {
            _ = try await shop.home.addUnlocker(secret, vault: shop.vault)
        }
        let before = try shop.vault.key(in: shop.slot(identity))
        let rotated = try await shop.home.rotateMasterKey(vault: shop.vault)
        #expect(rotated.rotation.generation == 2 && !rotated.rotation.isResumed)
        #expect(rotated.keys == 2 && rotated.sideFiles == 2)
        #expect(rotated.unreadable.isEmpty && rotated.completed == nil)
        for secret in [passphrase, recovery.secret] {
            let vault = try Vault.open(shop.home.layout, secret: secret)
            let after = try vault.key(in: shop.slot(identity))
            #expect(after.key.publicKey == before.key.publicKey)
            #expect(after.certificate == before.certificate && after.chain == before.chain)
            #expect(try vault.side(in: shop.slot(pending))?.state == .requested)
        }
        let told = try await entries(shop, 4)
        #expect(
            told.map(\.act) == [
                "unlocker.added", "unlocker.added", "master-key.rotation-begun",
                "master-key.rotation-finished",
            ])
        #expect(told[0].details == ["kind": "passphrase"])
        #expect(told[2].details == ["generation": "2"])
        #expect(told[3].details == ["generation": "2", "keys": "2", "unreadable": "0"])
    }

    @Test func `a master json from before the rotation is refused`() async throws {
        let shop = try await Shop()
        let path = shop.home.layout.master
        let old = try InputFile.read(path, limit: 100_000)
        for _ in 0..<2 { _ = try await shop.home.rotateMasterKey(vault: shop.vault) }
        try await shop.home.checkGeneration(of: shop.vault)
        let new = try InputFile.read(path, limit: 100_000)
        try DurableFile.write(old, to: path, replacing: true)
        try shop.vault.follow()
        await #expect(throws: VaultError.masterOutdated(generation: 1, known: 3)) {
            try await shop.home.checkGeneration(of: shop.vault)
        }
        try DurableFile.write(new, to: path, replacing: true)
        try await shop.home.checkGeneration(of: shop.vault)
        // One that stopped before its last entry has the newer vault key.
        _ = try shop.vault.beginRotation()
        try await shop.home.checkGeneration(of: shop.vault)
    }

    @Test func `a rotation that stopped is resumed, and never a third vault key is made`()
        async throws
    {
        let shop = try await Shop()
        let identity = try await shop.issued(.merchantIdentity)
        _ = try shop.vault.beginRotation()
        // Others work on meanwhile, under the new vault key.
        let later = try await shop.issued(.merchantIdentity)
        for act in 0..<2 {
            await #expect(throws: VaultError.rotationUnfinished) {
                act == 0
                    ? try await shop.home.addUnlocker(
                        RecoveryKey.random().secret, vault: shop.vault)
                    : try await shop.home.removeUnlocker(shop.vault.unlocker, vault: shop.vault)
            }
        }
        let rotated = try await shop.home.rotateMasterKey(vault: shop.vault)
        #expect(rotated.rotation.generation == 2 && rotated.rotation.isResumed)
        #expect(rotated.keys == 2)
        for one in [identity, later] { _ = try shop.vault.key(in: shop.slot(one)) }
        #expect(try await shop.acts().last == "master-key.rotation-finished")
        #expect(
            try await shop.home.rotateMasterKey(vault: shop.vault).rotation.generation == 3)
    }

    @Test func `an entry that a crash left out is made up for, and then a new vault key is made`()
        async throws
    {
        let shop = try await Shop()
        _ = try await shop.issued(.merchantIdentity)
        // As it is right before the last entry.
        let entry = LedgerEntry(
            at: shop.clock.now, actor: .user(name: "t", uid: 1, login: nil),
            act: .masterKeyRotationBegun, subject: "master-key", detail: ["generation": "2"])
        try await shop.home.database.write { try Ledger.append(entry, in: $0) }
        _ = try shop.vault.beginRotation()
        for file in try shop.home.layout.storedFiles() {
            #expect(try shop.vault.renew(file).isDone)
        }
        try shop.vault.endRotation()
        let rotated = try await shop.home.rotateMasterKey(vault: shop.vault)
        #expect(rotated.completed == 2)
        #expect(rotated.rotation.generation == 3 && !rotated.rotation.isResumed)
        let told = try await entries(shop, 4)
        #expect(told.map { $0.details?["generation"] } == ["2", "2", "3", "3"])
        #expect(told[1].act == "master-key.rotation-finished")
        #expect(try await shop.home.rotateMasterKey(vault: shop.vault).completed == nil)
    }

    @Test
    func `what is under no vault key is named, and a side file is made again from its record`()
        async throws
    {
        let shop = try await Shop()
        let identity = try await shop.issued(.merchantIdentity)
        let layout = shop.home.layout
        let lost = shop.slot(try await shop.issued(.merchantIdentity))
        let foreign = KeySlot(
            merchant: shop.merchant, kind: .merchantIdentity,
            publicKeyHash: [UInt8](repeating: 7, count: 32))
        try DurableFile.write([1, 2, 3], to: layout.bundle(lost), replacing: true)
        for slot in [shop.slot(identity), foreign] {
            try DurableFile.write(Array("{}".utf8), to: layout.side(slot), replacing: true)
        }
        let rotated = try await shop.home.rotateMasterKey(vault: shop.vault, forgetting: true)
        let folder = "keys/\(shop.merchant)/merchant-identity"
        #expect(
            rotated.unrenewed.map(\.path) == ["\(folder)/\(lost.fingerprint).p12"])
        #expect(rotated.unreadable == ["\(folder)/\(foreign.fingerprint).json"])
        #expect(try shop.vault.side(in: shop.slot(identity))?.state == .issued)
        #expect(try InputFile.read(layout.bundle(lost), limit: 10) == [1, 2, 3])
        #expect(rotated.keys == 1)
        let again = try await shop.home.rotateMasterKey(vault: shop.vault, forgetting: true)
        #expect(again.unreadable == rotated.unreadable && again.rotation.generation == 3)
    }

    @Test func `an unlocker that was removed opens nothing, and one always remains`() async throws {
        let shop = try await Shop()
        let identity = try await shop.issued(.merchantIdentity)
        let own = shop.vault.unlocker
        await #expect(throws: VaultError.lastUnlocker(own)) {
            try await shop.home.removeUnlocker(own, vault: shop.vault)
        }
        let recovery = RecoveryKey.random()
        let added = try await shop.home.addUnlocker(recovery.secret, vault: shop.vault)
        await #expect(throws: VaultError.unlockerExists(added.id)) {
            try await shop.home.addUnlocker(recovery.secret, vault: shop.vault)
        }
        await #expect(throws: VaultError.unlockerInUse(own)) {
            try await shop.home.removeUnlocker(own, vault: shop.vault)
        }
        await #expect(throws: VaultError.unlockerUnknown("0000000000000000")) {
            try await shop.home.removeUnlocker("0000000000000000", vault: shop.vault)
        }
        // By the other one it can be.
        let other = try Vault.open(shop.home.layout, secret: recovery.secret)
        #expect(try await shop.home.removeUnlocker(own, vault: other).id == own)
        #expect(try shop.home.layout.unlockers().map(\.id) == [added.id])
        #expect(throws: VaultError.noSuchUnlocker(.keyFile)) { try shop.vault.follow() }
        await #expect(throws: VaultError.noSuchUnlocker(.keyFile)) {
            try await shop.request(.merchantIdentity)
        }
        _ = try await shop.home.rotateMasterKey(vault: other)
        #expect(throws: VaultError.noSuchUnlocker(.keyFile)) {
            try shop.vault.key(in: shop.slot(identity))
        }
        #expect(
            try await entries(shop, 3).map(\.act) == [
                "unlocker.removed", "master-key.rotation-begun", "master-key.rotation-finished",
            ])
        #expect(try await shop.home.database.read { try Ledger.verify(in: $0) }.sequence > 0)
    }

    @Test func `there is an end to unlockers, and an earlier one to passphrases`() async throws {
        let shop = try await Shop()
        for _ in 0..<31 {
            _ = try await shop.home.addUnlocker(.keyFile(.random(count: 32)), vault: shop.vault)
        }
        await #expect(throws: VaultError.tooManyUnlockers("32 unlockers")) {
            try await shop.home.addUnlocker(.keyFile(.random(count: 32)), vault: shop.vault)
        }
        _ = try await shop.home.rotateMasterKey(vault: shop.vault)
        #expect(try shop.home.layout.unlockers().count == 32)
    }

    @Test func `a founding that goes on after a crash makes its recovery key anew`() async throws {
        let folder = TemporaryFolder()
        let layout = HomeLayout(path: folder.file("home"))
        let secret = UnlockSecret.keyFile(.random(count: 32))
        try Folder.make(layout.path)
        let unseen = RecoveryKey.random()
        _ = try Vault.create(
            layout, secret: secret, recoveryKey: unseen, at: Timestamp(seconds: 1))
        let seen = RecoveryKey.random()
        let home = try await OpenHome.found(
            layout, secret: secret, recoveryKey: seen, clock: ManualClock(Timestamp(seconds: 2)),
            actor: .user(name: "t", uid: 1, login: nil))
        #expect(try layout.unlockers().map(\.kind) == [.keyFile, .recoveryKey])
        _ = try Vault.open(layout, secret: seen.secret)
        #expect(throws: VaultError.wrongRecoveryKey) {
            try Vault.open(layout, secret: unseen.secret)
        }
        let told = try await home.database.read { try Ledger.list(in: $0) }
        #expect(told.first?.details == ["unlocker": "key-file", "recoveryKey": "yes"])
    }
}
