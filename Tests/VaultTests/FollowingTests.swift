import Clocks
import Files
import Locks
import Merchants
import PKI
import Secrets
import TestSupport
import Testing

@testable import Vault

/// Vaults that were opened before the vault key is another one.
@Suite struct FollowingTests {
    private let fixture: VaultFixture
    private let key: PrivateKey
    private let slot: KeySlot
    private let now = Timestamp(seconds: 1_700_000_001)

    init() throws {
        fixture = try VaultFixture()
        key = try PrivateKey.generate(.ecP256)
        slot = try fixture.slot(key, .paymentProcessing)
        try fixture.vault.keep(key, certificate: nil, chain: [], in: slot, replacing: false)
        try fixture.vault.write(side(.requested), in: slot)
    }

    private func side(_ state: CredentialState, of other: KeySlot? = nil) -> SideFile {
        let slot = other ?? slot
        return SideFile(
            Credential(
                id: .random(), merchant: slot.merchant, realm: .apple, kind: slot.kind,
                state: state, custody: .local, provider: nil, publicKeyHash: slot.publicKeyHash,
                keyAlgorithm: "EC P-256", csr: nil, certificate: nil, createdAt: now,
                activatedAt: nil))
    }

    private func reopened() throws -> Vault {
        try Vault.open(fixture.layout, secret: .keyFile(fixture.keyFile))
    }

    private func rotate(_ vault: Vault) throws {
        _ = try vault.beginRotation()
        for file in try fixture.layout.storedFiles() { #expect(try vault.renew(file).isDone) }
        try vault.endRotation()
    }

    @Test func `an open vault reads what was rotated since, at every stage of it`() throws {
        let other = try reopened()
        let rotation = try fixture.vault.beginRotation()
        #expect(rotation == Rotation(generation: 2, isResumed: false))
        #expect(try other.key(in: slot).key.publicKey == key.publicKey)
        #expect(try fixture.vault.renew(.bundle(slot)) == .done)
        // Its own vault key opens nothing any more, so it looks for another.
        #expect(try other.key(in: slot).key.publicKey == key.publicKey)
        #expect(try fixture.vault.renew(.side(slot)) == .done)
        #expect(try other.side(in: slot)?.state == .requested)
        try fixture.vault.endRotation()
        try rotate(fixture.vault)
        try rotate(fixture.vault)
        #expect(try other.key(in: slot).key.publicKey == key.publicKey)
        #expect(try other.generation == 4)
        #expect(!other.isRotationUnfinished)
        let late = try reopened()
        try rotate(fixture.vault)
        #expect(try late.side(in: slot)?.state == .requested)
    }

    @Test func `what is written under the lock is under the vault key in force`() async throws {
        let other = try reopened()
        try rotate(fixture.vault)
        let second = try PrivateKey.generate(.ecP256)
        let place = try fixture.slot(second, .paymentProcessing)
        try await other.holding(.shared) {
            try other.keep(second, certificate: nil, chain: [], in: place, replacing: false)
            try other.write(side(.issued, of: place), in: place)
        }
        let fresh = try reopened()
        #expect(fresh.keys.map(\.generation) == [2])
        #expect(try fresh.key(in: place).key.publicKey == second.publicKey)
        #expect(try fresh.side(in: place)?.state == .issued)
    }

    @Test func `an old vault key opens nothing of the new one`() throws {
        let old = try fixture.vault.currentKey()
        try rotate(fixture.vault)
        let bundle = try #require(try fixture.vault.bundle(in: slot))
        #expect(old.open(bundle, in: slot) == nil)
        let (file, master) = try fixture.vault.openFile()
        #expect(master.keys.map(\.generation) == [2])
        let boxes = file.unlockers.flatMap(\.wrapped)
        #expect(boxes.map(\.generation) == [2])
        // Neither as the key of a box nor as an unlocker.
        #expect(throws: VaultError.wrongKeyFile) {
            try Vault.open(fixture.layout, secret: .keyFile(old.bytes))
        }
        for box in boxes {
            let bytes = try #require(Base64.decode(box.box))
            #expect(throws: PKIError.sealBroken) {
                try AddressedBox.open(
                    bytes, privateKey: old.bytes, purpose: "purser vault key",
                    additionalData: [])
            }
        }
    }

    @Test func `a rotation that stopped goes on with its two vault keys`() throws {
        _ = try fixture.vault.beginRotation()
        let again = try reopened()
        #expect(again.isRotationUnfinished)
        #expect(try fixture.layout.isRotationUnfinished())
        #expect(try again.beginRotation() == Rotation(generation: 2, isResumed: true))
        #expect(again.keys.map(\.generation) == [1, 2])
        for file in [StoredFile.bundle(slot), .side(slot)] { #expect(try again.renew(file).isDone) }
        // Twice is the same as once.
        for file in [StoredFile.bundle(slot), .side(slot)] { #expect(try again.renew(file).isDone) }
        try again.endRotation()
        #expect(try !fixture.layout.isRotationUnfinished())
    }

    @Test func `a file that is no key stays as it is, and one that cannot be read is told as such`()
        throws
    {
        let other = try PrivateKey.generate(.ecP256)
        let place = try fixture.slot(other, .merchantIdentity)
        let folder = fixture.layout.folder(place.merchant, place.kind)
        try Folder.makeAll(
            fixture.layout.folderParts(place.merchant, place.kind), below: fixture.layout.path)
        try DurableFile.write(
            [UInt8](repeating: 0, count: 900), to: fixture.layout.bundle(place), replacing: false)
        try DurableFile.write([1], to: "\(folder)/stray.p12", replacing: false)
        _ = try fixture.vault.beginRotation()
        let files = try fixture.layout.storedFiles()
        #expect(
            files == [
                .bundle(place), .stranger("\(folder)/stray.p12"), .side(slot), .bundle(slot),
            ])
        #expect(
            try files.map { try fixture.vault.renew($0) }
                == [.unreadable, .unreadable, .done, .done])
        #expect(try InputFile.read(fixture.layout.bundle(place), limit: 1_000).count == 900)
        #expect(fixture.layout.shown(files[1]).hasPrefix("keys/merchant.com.example.shop/"))
        let status = try ForeignProcess.run("chmod", ["644", fixture.layout.bundle(slot)])
        #expect(status.status == 0)
        #expect(
            try fixture.vault.renew(.bundle(slot))
                == .refused(.exposed(fixture.layout.bundle(slot), mode: "0644")))
    }

    @Test func `threads that read while the vault key is rotated never fail`() async throws {
        let vault = fixture.vault
        let reader = try reopened()
        let isOver = Locked(false)
        let outcomes = Locked<[Result<Int, any Error>]>([])
        let slot = self.slot
        // Threads of their own: what reads blocks, and the pool has as many threads as cores.
        let threads = (0..<3).map { _ in
            OwnedThread(name: "reader") {
                let outcome = Result {
                    var count = 0
                    while !isOver.withLock({ $0 }) {
                        _ = try reader.key(in: slot)
                        _ = try reader.side(in: slot)
                        count += 1
                    }
                    return count
                }
                outcomes.withLock { $0.append(outcome) }
            }
        }
        for _ in 0..<25 { try await vault.holding(.exclusive) { try rotate(vault) } }
        isOver.withLock { $0 = true }
        for thread in threads { thread.join() }
        for outcome in outcomes.withLock({ $0 }) { #expect(try outcome.get() > 0) }
        #expect(try reader.generation == 26)
    }
}
