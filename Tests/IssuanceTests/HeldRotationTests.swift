import Clocks
import Database
import Files
import HomeSupport
import Issuance
import Ledger
import Merchants
import Registry
import TestSupport
import Testing
import Vault

/// Rotations that would lose a key, were the old vault key forgotten.
@Suite struct HeldRotationTests {
    private func swap(_ one: String, _ other: String) throws {
        let kept = try InputFile.read(one, limit: 100_000)
        try DurableFile.write(InputFile.read(other, limit: 100_000), to: one, replacing: true)
        try DurableFile.write(kept, to: other, replacing: true)
    }

    private func run(_ program: String, _ arguments: String...) throws {
        let done = try ForeignProcess.run(program, arguments)
        #expect(done.status == 0, "\(done.errorText)")
    }

    @Test func `two swapped files keep the old vault key until they are back`() async throws {
        let shop = try await Shop()
        let layout = shop.home.layout
        let one = shop.slot(try await shop.issued(.merchantIdentity))
        let other = shop.slot(try await shop.issued(.merchantIdentity))
        let third = shop.slot(try await shop.issued(.merchantIdentity))
        try swap(layout.bundle(one), layout.bundle(other))
        for attempt in 0..<2 {
            let held = try await shop.home.rotateMasterKey(vault: shop.vault)
            #expect(!held.isFinished && held.keys == 1 && shop.vault.isRotationUnfinished)
            #expect(held.rotation.generation == 2 && held.rotation.isResumed == (attempt == 1))
            #expect(
                Set(held.unrenewed.map(\.path)) == [
                    layout.shown(.bundle(one)), layout.shown(.bundle(other)),
                ])
        }
        #expect(try await shop.acts().last == "master-key.rotation-begun")
        try swap(layout.bundle(one), layout.bundle(other))
        let done = try await shop.home.rotateMasterKey(vault: shop.vault)
        #expect(done.isFinished && done.keys == 3 && done.unrenewed.isEmpty)
        for slot in [one, other, third] { _ = try shop.vault.key(in: slot) }
    }

    @Test(arguments: ["renamed", "gone", "exposed", "huge", "folder", "pipe", "empty"])
    func `a key that is not in its place keeps the old vault key`(_ fault: String) async throws {
        let shop = try await Shop()
        let layout = shop.home.layout
        let sound = shop.slot(try await shop.issued(.paymentProcessing))
        let slot = shop.slot(try await shop.issued(.merchantIdentity))
        let (path, aside) = (layout.bundle(slot), shop.folder.file("aside"))
        if fault == "renamed" {
            try run("mv", path, "\(path).bak")
        } else {
            try run("cp", "-p", path, aside)
            if fault != "exposed" { try run("rm", path) }
        }
        switch fault {
        case "exposed": try run("chmod", "644", path)
        case "huge": try run("truncate", "-s", "4M", path)
        case "folder": try run("mkdir", "-m", "700", path)
        case "pipe": try run("mkfifo", "-m", "600", path)
        case "empty": try DurableFile.write([], to: path, replacing: false)
        default: break
        }
        let held = try await shop.home.rotateMasterKey(vault: shop.vault)
        #expect(!held.isFinished && held.keys == 1)
        #expect(held.unrenewed.map(\.path) == [layout.shown(.bundle(slot))])
        #expect(held.strangers == (fault == "renamed" ? [layout.shown("\(path).bak")] : []))
        let told = try #require(held.unrenewed.first?.why)
        switch fault {
        case "renamed", "gone": #expect(told as? VaultError == .keyMissing(slot.shown))
        case "empty": #expect(told as? VaultError == .keyUnreadable(slot.shown))
        default: #expect(told is FileError)
        }
        // The others are under the new vault key, and nothing is lost.
        _ = try shop.vault.key(in: sound)
        if fault == "folder" { try run("rmdir", path) }
        try run("mv", "-f", fault == "renamed" ? "\(path).bak" : aside, path)
        try run("chmod", "600", path)
        let done = try await shop.home.rotateMasterKey(vault: shop.vault)
        #expect(done.isFinished && done.rotation.isResumed && done.keys == 2)
        _ = try shop.vault.key(in: slot)
    }

    @Test func `what is given up lets the rotation end, and the ledger has it`() async throws {
        let shop = try await Shop()
        let layout = shop.home.layout
        let given = try await shop.issued(.merchantIdentity)
        let forgotten = shop.slot(try await shop.issued(.merchantIdentity))
        // No record names it, and it may be a key all the same.
        let foreign = KeySlot(
            merchant: shop.merchant, kind: .merchantIdentity,
            publicKeyHash: [UInt8](repeating: 7, count: 32))
        for slot in [shop.slot(given), forgotten] { try run("rm", layout.bundle(slot)) }
        try DurableFile.write([1, 2, 3], to: layout.bundle(foreign), replacing: false)
        let held = try await shop.home.rotateMasterKey(vault: shop.vault)
        #expect(held.unrenewed.count == 3)
        // A record that is destroyed has no key any more.
        _ = try await shop.home.abandon(given.id, vault: shop.vault)
        _ = try await shop.home.destroy(given.id, vault: shop.vault)
        #expect(try await shop.home.rotateMasterKey(vault: shop.vault).unrenewed.count == 2)
        let done = try await shop.home.rotateMasterKey(vault: shop.vault, forgetting: true)
        #expect(done.isFinished && done.rotation.generation == 2)
        let last = try await shop.home.database.read { try Ledger.list(in: $0).last }
        let paths = [forgotten, foreign].map { layout.shown(.bundle($0)) }.sorted()
        #expect(last?.details?["forgotten"] == paths.joined(separator: " "))
        #expect(last?.details?["unreadable"] == "2")
    }

    @Test func `strange things below keys are told, and stop nothing`() async throws {
        let shop = try await Shop()
        let layout = shop.home.layout
        let slot = shop.slot(try await shop.issued(.merchantIdentity))
        let folder = layout.folder(slot.merchant, slot.kind)
        try run("mkdir", "\(folder)/.unfinished-x", "\(layout.path)/.unfinished-y")
        try run("mkdir", "\(layout.keys)/.unfinished-z", "\(layout.keys)/merchant.com.example.a")
        try run("touch", "\(layout.keys)/merchant.com.example.file", "\(folder)/.hidden")
        try run("touch", "\(folder)/.unfinished-1", "\(layout.keys)/merchant.com.example.a/kind")
        try run("cp", layout.bundle(slot), "\(folder)/\(slot.fingerprint.uppercased()).p12")
        let done = try await shop.home.rotateMasterKey(vault: shop.vault)
        #expect(done.isFinished && done.keys == 1)
        #expect(
            Set(done.strangers)
                == Set(
                    [
                        "\(folder)/.unfinished-x", "\(layout.keys)/.unfinished-z",
                        "\(layout.keys)/merchant.com.example.file", "\(folder)/.hidden",
                        "\(layout.keys)/merchant.com.example.a/kind",
                        "\(folder)/\(slot.fingerprint.uppercased()).p12",
                    ].map(layout.shown)))
        #expect(try FileStatus.ifPresent("\(folder)/.unfinished-1") == nil)
    }

    // MARK: - A master.json from before

    /// As a rotation leaves it that was killed after `renewed` of the home's files.
    private func kill(_ shop: Shop, afterRenewing renewed: Int) async throws -> [UInt8] {
        let before = try InputFile.read(shop.home.layout.master, limit: 100_000)
        let entry = LedgerEntry(
            at: shop.clock.now, actor: .user(name: "t", uid: 1, login: nil),
            act: .masterKeyRotationBegun, subject: "master-key", detail: ["generation": "2"])
        try await shop.home.database.write { try Ledger.append(entry, in: $0) }
        _ = try shop.vault.beginRotation()
        for file in try shop.home.layout.storedFiles().prefix(renewed) {
            #expect(try shop.vault.renew(file).isDone)
        }
        return before
    }

    @Test(arguments: [0, 1, 2, 3])
    func `the master json from before a rotation that was killed is refused`(
        _ renewed: Int
    ) async throws {
        let shop = try await Shop()
        let layout = shop.home.layout
        let slots = [
            shop.slot(try await shop.issued(.merchantIdentity)),
            shop.slot(try await shop.issued(.merchantIdentity)),
        ]
        let old = try await kill(shop, afterRenewing: renewed)
        let right = try InputFile.read(layout.master, limit: 100_000)
        try DurableFile.write(old, to: layout.master, replacing: true)
        let vault = try Vault.open(layout, secret: shop.secret)
        if renewed > 0 {
            let outdated = VaultError.masterOutdated(generation: 1, known: 2)
            await #expect(throws: outdated) { try await shop.home.checkGeneration(of: vault) }
            await #expect(throws: outdated) {
                try await shop.home.rotateMasterKey(vault: vault, forgetting: true)
            }
            #expect(try await shop.home.newerGeneration(than: 1) == 2)
            try DurableFile.write(right, to: layout.master, replacing: true)
            try vault.follow()
        }
        // With nothing renewed it may be that the crash came before master.json was written.
        try await shop.home.checkGeneration(of: vault)
        let done = try await shop.home.rotateMasterKey(vault: vault)
        #expect(done.isFinished && done.keys == 2 && done.rotation.generation == 2)
        for slot in slots { _ = try vault.key(in: slot) }
    }

    @Test func `a key that tells of another vault key keeps a rotation from beginning`()
        async throws
    {
        let shop = try await Shop()
        let layout = shop.home.layout
        let slot = shop.slot(try await shop.issued(.merchantIdentity))
        let old = try await kill(shop, afterRenewing: 2)
        // Its side file tells nothing any more.
        try DurableFile.write(Array("{}".utf8), to: layout.side(slot), replacing: true)
        try DurableFile.write(old, to: layout.master, replacing: true)
        let vault = try Vault.open(layout, secret: shop.secret)
        await #expect(throws: VaultError.masterDoubtful(slot.shown)) {
            try await shop.home.rotateMasterKey(vault: vault)
        }
        #expect(!vault.isRotationUnfinished)
    }

    @Test func `also where the ledger knows nothing of it, as in an older database`()
        async throws
    {
        let shop = try await Shop()
        let layout = shop.home.layout
        _ = try await shop.issued(.merchantIdentity)
        let old = try InputFile.read(layout.master, limit: 100_000)
        _ = try shop.vault.beginRotation()
        for file in try layout.storedFiles() { _ = try shop.vault.renew(file) }
        try DurableFile.write(old, to: layout.master, replacing: true)
        let vault = try Vault.open(layout, secret: shop.secret)
        await #expect(throws: VaultError.masterOutdated(generation: 1, known: 2)) {
            try await shop.home.rotateMasterKey(vault: vault)
        }
    }
}
