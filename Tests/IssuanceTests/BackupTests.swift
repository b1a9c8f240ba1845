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
import Secrets
import TestSupport
import Testing
import Vault

extension Shop {
    /// A home with credentials in several states.
    func fill() async throws {
        let first = try await issued(.merchantIdentity)
        let second = try await issued(.merchantIdentity)
        for one in [first, second] {
            _ = try await home.activate(one.id, vault: vault, proof: .waived)
            clock.advance(days: 1)
        }
        let processing = try await issued(.paymentProcessing)
        _ = try await home.recordActivation(processing.id, at: nil, vault: vault)
        _ = try await request(.paymentProcessing)
        let gone = try await issued(.merchantIdentity)
        _ = try await home.abandon(gone.id, vault: vault)
        _ = try await home.destroy(gone.id, vault: vault)
        try await home.addDomain(DomainName("shop.example.com"), of: merchant)
    }

    @discardableResult
    func backUp(
        _ name: String = "backup.tar", acceptingDamage: Bool = false, tellingDamage: Bool = true
    ) async throws -> MadeBackup {
        let file = try NewFile(folder.file(name))
        let made = try await home.backUp(
            to: file, named: folder.file(name), vault: vault, acceptingDamage: acceptingDamage
        ) { if !acceptingDamage && tellingDamage { Issue.record($0) } }
        try file.finish()
        return made
    }

    func restore(
        _ name: String = "backup.tar", to other: String = "other",
        secret given: UnlockSecret? = nil, acceptingDamage: Bool = false
    ) async throws -> RestoredHome {
        let layout = HomeLayout(path: folder.file(other))
        return try await OpenHome.restore(
            try SequentialFile(folder.file(name)), to: layout,
            prepared: try FileStatus.ifPresent(layout.path), secret: given ?? secret,
            acceptingDamage: acceptingDamage, clock: clock, actor: home.actor)
    }

    /// Rewrites a backup with Python's tarfile; `edit` sees `files`, a list of (name, bytes).
    func edit(_ name: String = "backup.tar", to other: String, _ edit: String) throws {
        let script = """
            import io, sys, tarfile
            src = tarfile.open(sys.argv[1])
            files = [(m.name, src.extractfile(m).read()) for m in src]
            \(edit)
            with tarfile.open(sys.argv[2], "w", format=tarfile.PAX_FORMAT) as out:
                for name, data in files:
                    info = tarfile.TarInfo(name); info.size = len(data); info.mode = 0o600
                    out.addfile(info, io.BytesIO(data))
            """
        let result = try ForeignProcess.run(
            "python3", ["-c", script, folder.file(name), folder.file(other)])
        guard result.status == 0 else { throw VaultError.backupDamaged(result.errorText) }
    }

    func open(_ name: String) async throws -> (home: OpenHome, vault: Vault) {
        let layout = HomeLayout(path: folder.file(name))
        return (
            try await OpenHome.open(
                layout, mode: .readWrite, clock: clock, actor: home.actor),
            try Vault.open(layout, secret: secret)
        )
    }
}

@Suite struct BackupTests {
    @Test func `a restored home has the records, the keys and the history of the first`()
        async throws
    {
        let shop = try await Shop()
        try await shop.fill()
        let made = try await shop.backUp()
        #expect(made.faulty.isEmpty && made.keys == 4)
        let credentials = try await shop.credentials()
        let restored = try await shop.restore()
        #expect(restored.keys == 4 && restored.createdAt == made.createdAt)
        let (home, vault) = try await shop.open("other")
        #expect(try await home.database.read { try Credentials.list(in: $0) } == credentials)
        #expect(try await home.database.integrityCheck().isEmpty)
        for credential in credentials where credential.state != .destroyed {
            let slot = shop.slot(credential)
            #expect(
                try vault.key(in: slot).key.publicKey == shop.vault.key(in: slot).key.publicKey)
        }
        let acts = try await home.database.read { try Ledger.list(in: $0).map(\.act) }
        #expect(acts == (try await shop.acts()) + ["home.restored"])
        let domains = try await home.database.read { try Domains.list(of: shop.merchant, in: $0) }
        #expect(domains.map(\.text) == ["shop.example.com"])
        // The restored home is one to work on.
        _ = try await home.request(.merchantIdentity, for: shop.merchant, vault: vault)
        _ = try await home.database.read { try Ledger.verify(in: $0) }
        // Modes are a home's, and nothing of the restore is left.
        let strange = try ForeignProcess.run(
            "find",
            [
                shop.folder.file("other"), "(", "-type", "f", "!", "-perm", "600", ")", "-o", "(",
                "-type", "d", "!", "-perm", "700", ")", "-o", "-name", ".rest*", "-o", "-name",
                ".unf*", "-o", "-name", "manifest*",
            ])
        #expect(strange.text == "")
        #expect(try Folder.names(in: shop.home.layout.path).filter { $0.hasPrefix(".") } == [])
    }

    @Test func `the digest that is told is that of the file, and sqlite3 finds the copy sound`()
        async throws
    {
        let shop = try await Shop()
        try await shop.fill()
        let made = try await shop.backUp()
        let digest = try ForeignProcess.run("sha256sum", [shop.folder.file("backup.tar")])
        #expect(digest.text.hasPrefix(Hexadecimal.lowercase(made.sha256)))
        let copy = shop.folder.file("copy")
        let script =
            "mkdir \"$1\" && tar -C \"$1\" -xf \"$2\" && sqlite3 \"$1/purser.db\" 'PRAGMA "
            + "integrity_check; PRAGMA foreign_key_check; SELECT count(*) FROM credentials'"
        let unpacked = try ForeignProcess.run(
            "sh", ["-c", script, "sh", copy, shop.folder.file("backup.tar")])
        #expect(unpacked.text == "ok\n5\n", "\(unpacked.errorText)")
    }

    @Test func `a changed byte is noticed, and leaves no home`() async throws {
        let shop = try await Shop()
        try await shop.fill()
        try await shop.backUp()
        let whole = shop.folder.read("backup.tar")
        var outcomes: Set<String> = []
        // A byte in each block, at places that differ from block to block: 0x20 is the difference
        // between small letters and capitals, which hex digits may not mix either.
        for block in stride(from: 0, to: whole.count / 512, by: 11) {
            let place = block * 512 + (block * 131) % 512
            var changed = whole
            changed[place] ^= 0x20
            shop.folder.write("changed.tar", changed)
            do {
                _ = try await shop.restore("changed.tar")
                // What fills a block or a field up, and what follows the end, says nothing.
                let (home, _) = try await shop.open("other")
                #expect([0, 0x20].contains(whole[place]), "byte \(place)")
                let found = try await home.database.read { try Credentials.list(in: $0) }
                #expect(found == (try await shop.credentials()))
                await home.database.close()
                try Folder.removeTree(shop.folder.file("other"))
            } catch let error as VaultError {
                outcomes.insert(error.code)
                let left = try Folder.names(in: shop.folder.file("other"))
                #expect(left == ["keys"], "byte \(place): \(error)")
            }
        }
        #expect(outcomes.contains("vault.backup-damaged"))
    }

    @Test(arguments: [
        ("a file less", "files = [f for f in files if not f[0].endswith('.p12')]"),
        ("a file more", "files.insert(1, ('purser.json5', b'{}'))"),
        ("a file twice", "files.insert(1, files[0])"),
        ("no manifest", "files.pop()"), ("nothing", "files = []"),
        ("another order", "files.insert(0, files.pop(1))"),
        ("a way out", "files.insert(0, ('../out', b'x'))"),
        ("an absolute path", "files.insert(0, ('/tmp/out', b'x'))"),
        (
            "settings of another's choice",
            "files = [(n, d.replace(b'\"sequence\":', b'\"sequence\": ')"
                + ".replace(b'\"createdAt\":\"2', b'\"createdAt\":\"1')) for n, d in files]"
        ),
    ])
    func `a backup that was put together anew is refused`(_ name: String, _ edit: String)
        async throws
    {
        let shop = try await Shop()
        try await shop.fill()
        try await shop.backUp()
        try shop.edit(to: "edited.tar", edit)
        await #expect(throws: VaultError.self, "\(name)") {
            try await shop.restore("edited.tar")
        }
        #expect(try Folder.names(in: shop.folder.file("other")) == ["keys"])
        // The same without a change is taken.
        try shop.edit(to: "same.tar", "pass")
        _ = try await shop.restore("same.tar")
    }

    @Test func `another unlocker opens nothing`() async throws {
        let shop = try await Shop()
        try await shop.backUp()
        await #expect(throws: VaultError.wrongKeyFile) {
            try await shop.restore(secret: .keyFile(.random(count: 32)))
        }
        #expect(try Folder.names(in: shop.folder.file("other")) == ["keys"])
    }

    @Test func `restore puts nothing over anything`() async throws {
        let shop = try await Shop()
        try await shop.backUp()
        await #expect(throws: VaultError.homeExists(shop.home.layout.path)) {
            try await shop.restore(to: "home")
        }
        let other = shop.folder.file("other")
        try Folder.make(other)
        shop.folder.write("other/notes.txt", Array("mine".utf8))
        await #expect(throws: VaultError.homeNotEmpty(other, found: "notes.txt")) {
            try await shop.restore()
        }
        try DurableFile.remove("\(other)/notes.txt")
        shop.folder.write("other/purser.json5", Array("{}".utf8))
        #expect(try await shop.restore().keptSettings == false)
        #expect(shop.folder.read("other/purser.json5") == Array("{}".utf8))
    }

    @Test func `a key without a sound copy is told, and does not keep the rest back`() async throws
    {
        let shop = try await Shop()
        try await shop.fill()
        let credentials = try await shop.credentials().filter { $0.state != .destroyed }
        let (lost, damaged) = (shop.slot(credentials[0]), shop.slot(credentials[1]))
        try DurableFile.remove(shop.home.layout.bundle(lost))
        try DurableFile.write([1, 2, 3], to: shop.home.layout.bundle(damaged), replacing: true)
        let made = try await shop.backUp()
        let paths = [lost, damaged].map { BackupMember.bundle($0).path }
        #expect(made.faulty.sorted() == paths.sorted())
        let restored = try await shop.restore()
        #expect(restored.faulty.sorted() == paths.sorted() && restored.keys == 3)
    }

    @Test func `a destroyed key's backups are known`() async throws {
        let shop = try await Shop()
        let credential = try await shop.issued(.merchantIdentity)
        shop.clock.advance(days: 1)
        try await shop.backUp("one.tar")
        shop.clock.advance(days: 1)
        let later = shop.clock.now
        try await shop.backUp("two.tar")
        let all = try await shop.home.backups(since: credential.createdAt)
        #expect(
            all.compactMap { $0.details?["file"] } == ["one.tar", "two.tar"].map(shop.folder.file))
        #expect(try await shop.home.backups(since: later).count == 1)
    }

    @Test(arguments: [
        "UPDATE ledger SET detail = '{}' WHERE seq = 2",
        "UPDATE credentials SET state = 'foo' WHERE state = 'active'",
    ])
    func `damaged records are not backed up unawares`(_ damage: String) async throws {
        let shop = try await Shop()
        try await shop.fill()
        let script = """
            trigger=$(sqlite3 "$1" "SELECT sql FROM sqlite_schema WHERE name = 'ledger_is_not_changed'")
            sqlite3 "$1" "PRAGMA ignore_check_constraints = 1; DROP TRIGGER ledger_is_not_changed; $2;" \
                "$trigger;"
            """
        let made = try ForeignProcess.run(
            "sh", ["-c", script, "sh", shop.home.layout.database, damage])
        #expect(made.status == 0, "\(made.errorText)")
        await #expect(throws: VaultError.self) { try await shop.backUp(tellingDamage: false) }
        #expect(shop.folder.read("backup.tar").isEmpty)
        let backup = try await shop.backUp(acceptingDamage: true)
        #expect(backup.damage != nil && backup.faulty.isEmpty && backup.keys >= 4)
        await #expect(throws: VaultError.backupOfDamage(backup.damage ?? "")) {
            try await shop.restore()
        }
        let restored = try await shop.restore(acceptingDamage: true)
        #expect(restored.damage == backup.damage && restored.keys == backup.keys)
    }

    @Test func `key files that no record names are copied, and told of`() async throws {
        let shop = try await Shop()
        try await shop.fill()
        let stranger = try MerchantIdentifier("merchant.com.example.unknown")
        let key = try PrivateKey.generate(.ecP256)
        let slot = KeySlot(
            merchant: stranger, kind: .paymentProcessing, publicKeyHash: key.publicKey.sha256)
        try shop.vault.keep(key, certificate: nil, chain: [], in: slot, replacing: false)
        let made = try await shop.backUp()
        #expect(made.unrecorded == [BackupMember.bundle(slot).path] && made.faulty.isEmpty)
        _ = try await shop.restore()
        let (_, vault) = try await shop.open("other")
        #expect(try vault.key(in: slot).key.publicKey == key.publicKey)
    }

    @Test func `an odd file in a key's place keeps no other key back`() async throws {
        let shop = try await Shop()
        try await shop.fill()
        let slots = try await shop.credentials().filter { $0.state != .destroyed }
            .map { shop.slot($0) }
        let layout = shop.home.layout
        #expect(chmod(layout.bundle(slots[0]), 0o644) == 0)
        try Folder.move(layout.bundle(slots[1]), to: shop.folder.file("kept.p12"))
        try Folder.make(layout.bundle(slots[1]))
        let made = try await shop.backUp()
        #expect(
            made.faulty.sorted() == slots[..<2].map { BackupMember.bundle($0).path }.sorted())
        #expect(made.keys == 3)
        // The one that others could read is in it, and sound.
        _ = try await shop.restore()
        let (_, vault) = try await shop.open("other")
        _ = try vault.key(in: slots[0])
    }

    @Test(arguments: ["master.json", "purser.db"])
    func `a backup that lacks a file is told as such`(_ name: String) async throws {
        let shop = try await Shop()
        try await shop.backUp()
        try shop.edit(to: "edited.tar", "files = [f for f in files if f[0] != '\(name)']")
        await #expect(throws: VaultError.backupDamaged("it has no \(name)")) {
            try await shop.restore("edited.tar")
        }
    }

    @Test func `what an interrupted restore left must be what was verified`() async throws {
        let shop = try await Shop()
        try await shop.fill()
        try await shop.backUp()
        let layout = HomeLayout(path: shop.folder.file("other"))
        _ = try await shop.restore()
        // As a kill leaves it right before the database moves up.
        try Folder.make(layout.restored.path)
        try Folder.make("\(layout.restored.path)/keys")
        try Folder.move(layout.database, to: layout.restored.database)
        for suffix in ["-wal", "-shm"] { unlink(layout.database + suffix) }
        try shop.edit(
            to: "manifest", "open(sys.argv[2] + '.json', 'wb').write(files[-1][1])")
        try Folder.move(
            shop.folder.file("manifest.json"), to: "\(layout.restored.path)/manifest.json")
        #expect(throws: VaultError.restoreUnfinished(layout.path)) { try HomeGuard.check(layout) }
        // Another backup is not this one.
        try await shop.backUp("second.tar")
        await #expect(throws: VaultError.otherRestore(layout.path)) {
            try await shop.restore("second.tar")
        }
        let credential = try #require(
            try await shop.credentials().first { $0.state != .destroyed })
        let path = layout.bundle(shop.slot(credential))
        let bytes = try InputFile.read(path, limit: 1 << 20)
        try DurableFile.write(bytes.reversed(), to: path, replacing: true)
        await #expect(throws: VaultError.restoreSpoiled(layout.path)) {
            try await shop.restore()
        }
        try DurableFile.write(bytes, to: path, replacing: true)
        _ = try await shop.restore()
        try HomeGuard.check(layout)
    }
}
