import Clocks
import Files
import Merchants
import PKI
import Secrets
import TestSupport
import Testing

@testable import Vault

/// A `master.json` that was changed by somebody who can write it, but cannot open it.
@Suite struct ForgedMasterFileTests {
    private let fixture: VaultFixture
    private let now = Timestamp(seconds: 1_700_000_000)
    private let secret: UnlockSecret
    private let attacker = UnlockSecret.keyFile(.random(count: 32))
    private let file: MasterFile

    init() throws {
        fixture = try VaultFixture()
        secret = .keyFile(fixture.keyFile)
        file = try MasterFile.read(fixture.layout)
    }

    /// What the honest unlocker is told of `file`.
    private func refusal(_ file: MasterFile) throws -> VaultError? {
        try DurableFile.write(file.encoded(), to: fixture.layout.master, replacing: true)
        return #expect(throws: VaultError.self) { try Vault.open(fixture.layout, secret: secret) }
    }

    private let changed = VaultError.masterDamaged("it was changed by somebody who cannot open it")

    @Test func `an unlocker that was pasted in is refused`() throws {
        var forged = file
        // He can make all of a record of his own but the box with the vault key.
        let his = try MasterFile.Unlocker(
            secret: attacker, homeKey: .random(count: 32), at: now)
        forged.unlockers.append(his)
        #expect(try refusal(forged) == changed)
        forged.unlockers[1].wrapped = file.unlockers[0].wrapped
        #expect(try refusal(forged) == changed)
        forged.unlockers.swapAt(0, 1)
        #expect(try refusal(forged) == changed)
    }

    @Test func `a public key in the place of another is refused`() throws {
        var forged = file
        let his = try MasterFile.Unlocker(
            secret: attacker, homeKey: .random(count: 32), at: now)
        forged.unlockers.append(forged.unlockers[0])
        #expect(try refusal(forged) == changed)
        forged.unlockers[1].id = his.id
        #expect(try refusal(forged) == changed)
        forged = file
        forged.unlockers[0].publicKey = his.publicKey
        // It is not the key file that is wrong.
        let damaged = VaultError.masterDamaged("the public key of an unlocker was changed")
        #expect(try refusal(forged) == damaged)
        forged.unlockers[0].publicKey = "no base64"
        #expect(try refusal(forged) == damaged)
    }

    @Test func `a vault key of the attacker's own is refused, though anybody can seal one`() throws
    {
        var forged = file
        forged.unlockers.append(
            try MasterFile.Unlocker(secret: attacker, homeKey: .random(count: 32), at: now))
        // He seals to every public key, and makes the code with the vault key that he knows.
        try forged.seal([.fresh(generation: 2)], homeKey: .random(count: 32))
        #expect(try refusal(forged) == changed)
    }

    @Test func `an unlocker that was taken out is noticed`() throws {
        let folder = TemporaryFolder()
        let layout = HomeLayout(path: folder.path)
        _ = try Vault.create(layout, secret: secret, recoveryKey: .random(), at: now)
        var forged = try MasterFile.read(layout)
        forged.unlockers.removeLast()
        #expect(try refusal(forged) == changed)
    }

    @Test func `a box of another unlocker, generation or time does not open`() throws {
        var forged = file
        forged.unlockers[0].createdAt = now.adding(seconds: 1)
        #expect(try refusal(forged) == .masterDamaged("a vault key does not open"))
        forged = file
        forged.unlockers[0].wrapped[0].generation = 2
        #expect(try refusal(forged) == .masterDamaged("a vault key does not open"))
        forged = file
        forged.generation = 2
        #expect(
            try refusal(forged)
                == .masterDamaged("the vault key in use is missing from an unlocker"))
        forged = file
        forged.unlockers[0].homeKey = forged.unlockers[0].wrapped[0].box
        #expect(try refusal(forged) == .masterDamaged("the home key does not open"))
    }
}
