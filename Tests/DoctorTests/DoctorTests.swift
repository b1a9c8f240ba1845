import Clocks
import Database
import Doctor
import Files
import Issuance
import Merchants
import PKI
import Registry
import Secrets
import TestSupport
import Testing
import Vault

/// A sound home, and one fault at a time.
@Suite struct DoctorTests {
    @Test func `a sound home gives no finding, with the key and without`() async throws {
        let ward = try await Ward()
        let whole = await ward.examine()
        #expect(whole.findings.isEmpty, "\(whole.findings)")
        #expect(whole.outcomes.filter { $0.skipped != nil }.map(\.name) == ["network"])
        #expect(whole.verdict == .ok)
        let without = await ward.examine(withKey: false)
        #expect(without.findings.isEmpty, "\(without.findings)")
        #expect(without.outcomes.first { $0.name == "keys" }?.skipped == "no master key was given")
        #expect(Set(whole.outcomes.map(\.name)).count == Doctor.checks.count)
    }

    @Test func `alerts that can reach nobody are told of`() async throws {
        let ward = try await Ward()
        let owners = await ward.examine(alertReach: .ownersAlone).findings
        #expect(owners.map(\.check) == ["alerts", "alerts"])
        #expect(owners.map(\.subject) == [ward.layout.settings, ward.merchant.text])
        let nobody = await ward.examine(alertReach: .nobody).findings
        #expect(nobody.map(\.summary) == ["alerts reach nobody: a heartbeat alone tells none"])
    }

    // MARK: - Files

    @Test func `modes, owners and links are told with the command that mends them`() async throws {
        let ward = try await Ward()
        let key = ward.layout.bundle(ward.slot(ward.identity))
        try ward.shell("chmod 640 '\(key)'")
        let mode = try await ward.only("permissions", .critical, and: ["keys"])
        #expect(mode.subject == key && mode.remedy == "run: chmod go= \(key)")
        try ward.shell("chmod 600 '\(key)' && chmod 755 anchors/lab")
        #expect(try await ward.only("permissions", .critical).remedy.contains("anchors/lab"))
        try ward.shell("chmod 700 anchors/lab && ln -s /etc/passwd anchors/lab/link")
        let link = try await ward.only("permissions", .critical, and: ["names", "trust"])
        #expect(link.remedy.hasPrefix("find out who put it there, and remove it: rm -- /"))
        try ward.shell("rm anchors/lab/link && chmod 711 .")
        #expect(try await ward.only("permissions", .critical).subject == ward.layout.path)
        try ward.shell("chmod 700 .")
        if User.isRoot {
            try ward.shell("chown 12345 master.json")
            let owner = try await ward.only("permissions", .critical, and: ["master-key"])
            #expect(owner.remedy.hasPrefix("run: chown "))
        }
    }

    @Test func `what does not belong is told once`() async throws {
        let ward = try await Ward()
        for name in [
            "master.key", "keys/notes", "keys/merchant.com.example.shop/other",
            "keys/merchant.com.example.shop/merchant-identity/\(String(repeating: "A", count: 64)).p12",
        ] {
            let path = "\(ward.layout.path)/\(name)"
            try DurableFile.write([1], to: path, replacing: false)
            let finding = try await ward.only("names", .warning)
            #expect(finding.subject == path)
            try DurableFile.remove(path)
        }
        try ward.shell("mkdir -m 700 old && echo x >old/file && chmod 600 old/file")
        #expect(try await ward.only("names", .warning).subject.hasSuffix("/old"))
    }

    @Test func `keys without a record, and records without a key`() async throws {
        let ward = try await Ward()
        let key = try PrivateKey.generate(.ecP256)
        let stray = KeySlot(
            merchant: ward.merchant, kind: .paymentProcessing,
            publicKeyHash: key.publicKey.sha256)
        try ward.vault.keep(key, certificate: nil, chain: [], in: stray, replacing: false)
        let finding = try await ward.only("keys-and-records", .warning)
        #expect(finding.subject == ward.layout.bundle(stray))
        #expect(finding.remedy.contains("merchant.com.example.shop records it"))
        // While a command is at work it may be on its way.
        do {
            let lock = try FileLock.take(ward.layout.keysLock, .shared)
            defer { withExtendedLifetime(lock) {} }
            #expect(try await ward.only("keys-and-records", .ok).summary.contains("at work"))
        }
        try DurableFile.remove(ward.layout.bundle(stray))

        let path = ward.layout.bundle(ward.slot(ward.processing))
        try ward.shell("mv '\(path)' ../kept")
        let missing = try await ward.only("keys-and-records", .critical)
        #expect(missing.subject == ward.processing.id.text)
        #expect(missing.remedy.contains("backup"))
        try ward.shell("mv ../kept '\(path)'")

        let unfinished = "\(ward.layout.path)/keys/.unfinished-1-x"
        try DurableFile.write([1], to: unfinished, replacing: false)
        #expect(try await ward.only("keys-and-records", .warning).subject == unfinished)
    }

    @Test func `a destroyed key that came back, and a provider's key that is here`() async throws {
        let ward = try await Ward()
        let path = ward.layout.bundle(ward.slot(ward.processing))
        let copy = ward.folder.file("copy")
        try ward.shell("cp -p '\(path)' '\(copy)'")
        let home = try await OpenHome.open(
            ward.layout, mode: .readWrite, clock: ward.clock, actor: ward.home.actor)
        _ = try await home.abandon(ward.processing.id, vault: ward.vault)
        _ = try await home.destroy(ward.processing.id, vault: ward.vault)
        let key = try PrivateKey.generate(.ecP256)
        let csr = try CertificateSigningRequest.make(subject: DistinguishedName([]), key: key)
        let theirs = try await home.recordRequest(
            RequestFile(SecretBytes(copying: csr.der)), .paymentProcessing, for: ward.merchant,
            provider: ProviderName("Example Payments")
        ).credential
        await home.database.close()
        #expect(await ward.examine().findings.isEmpty)
        try ward.shell("cp -p '\(copy)' '\(path)'")
        let back = try await ward.only("keys-and-records", .critical)
        #expect(back.remedy == "wipe it: purser certificate destroy \(ward.processing.id)")
        try DurableFile.remove(path)
        try ward.vault.keep(
            key, certificate: nil, chain: [], in: ward.slot(theirs), replacing: false)
        #expect(try await ward.only("keys-and-records", .warning).remedy.contains("takes it over"))
    }

    @Test func `side files that are missing, old or changed are told, and written by the next act`()
        async throws
    {
        let ward = try await Ward()
        let path = ward.layout.side(ward.slot(ward.identity))
        let text = String(decoding: try InputFile.read(path, limit: 65_536), as: UTF8.self)
        func settle() async throws {
            let home = try await OpenHome.open(
                ward.layout, mode: .readWrite, clock: ward.clock, actor: ward.home.actor)
            try await home.settle(ward.merchant, vault: ward.vault)
            await home.database.close()
            #expect(await ward.examine().findings.isEmpty)
        }
        try DurableFile.remove(path)
        for withKey in [true, false] {
            #expect(try await ward.only("side-files", .warning, withKey: withKey).subject == path)
        }
        try await settle()
        // Another state, with the code of the one before.
        let changed = text.replacing("\"issued\"", with: "\"retired\"")
        try DurableFile.write(Array(changed.utf8), to: path, replacing: true)
        #expect(try await ward.only("side-files", .critical).summary.contains("changed"))
        #expect(
            try await ward.only("side-files", .warning, withKey: false).summary
                .contains("something else"))
        try await settle()
        for bytes in [Array(text.utf8.dropLast(30)), [0xFF]] {
            try DurableFile.write(bytes, to: path, replacing: true)
            #expect(try await ward.only("side-files", .critical).subject == path)
            #expect(try await ward.only("side-files", .critical, withKey: false).subject == path)
        }
        try await settle()
        try ward.sqlite("UPDATE credentials SET side_file_due = 1 WHERE id = '\(ward.identity.id)'")
        #expect(try await ward.only("side-files", .warning).subject == ward.identity.id.text)
    }

    // MARK: - Keys

    @Test func `keys that do not open, or are others, or have the wrong certificate`() async throws
    {
        let ward = try await Ward()
        let slot = ward.slot(ward.identity)
        let path = ward.layout.bundle(slot)
        let whole = try InputFile.read(path, limit: 1 << 20)
        for position in [40, whole.count / 2, whole.count - 5] {
            var flipped = whole
            flipped[position] ^= 0x10
            try DurableFile.write(flipped, to: path, replacing: true)
            let finding = try await ward.only("keys", .critical)
            #expect(finding.subject == path && finding.remedy.contains("backup"))
            #expect(await ward.examine(withKey: false).findings.isEmpty)
        }
        // Another key of the home under this one's name.
        let other = ward.layout.bundle(ward.slot(ward.processing))
        try ward.shell("cp -p '\(other)' '\(path)'")
        #expect(try await ward.only("keys", .critical).subject == path)
        try DurableFile.write(whole, to: path, replacing: true)

        let kept = try ward.vault.key(in: slot)
        // The import of another certificate that died before its record.
        let newer = try ward.pki.identity(
            merchant: ward.merchant.text, key: kept.key.publicKey, from: ward.clock.now, days: 800)
        try ward.vault.keep(kept.key, certificate: newer, chain: [], in: slot, replacing: true)
        let note = try await ward.only("keys", .ok)
        #expect(note.summary.contains("not on record"))
        try ward.vault.keep(kept.key, certificate: nil, chain: [], in: slot, replacing: true)
        #expect(try await ward.only("keys", .warning).remedy.contains("certificate import"))
        try DurableFile.write(whole, to: path, replacing: true)
        try ward.sqlite(
            "UPDATE credentials SET key_algorithm = 'EC P-256' WHERE id = '\(ward.identity.id)'")
        #expect(try await ward.only("keys", .critical).summary.contains("RSA 2048"))
    }

    @Test func `the master key file, another's key, and a rotation that is unfinished`()
        async throws
    {
        let ward = try await Ward()
        let text = String(
            decoding: try InputFile.read(ward.layout.master, limit: 1 << 20), as: UTF8.self)
        let second = text.replacing(
            #/"wrapped" : \[/#, with: "\"wrapped\" : [ {\"box\":\"AAAA\",\"generation\":2},")
        try DurableFile.write(Array(second.utf8), to: ward.layout.master, replacing: true)
        let rotation = try await ward.only("master-key", .warning, withKey: false)
        #expect(rotation.remedy == "finish it: purser master-key rotate")
        try DurableFile.write(Array("{}".utf8), to: ward.layout.master, replacing: true)
        #expect(try await ward.only("master-key", .critical).summary.contains("damaged"))
        try DurableFile.remove(ward.layout.master)
        #expect(try await ward.only("master-key", .critical).summary.contains("missing"))
    }

    // MARK: - Records

    @Test func `a database that is damaged or changed`() async throws {
        let ward = try await Ward()
        let whole = try InputFile.read(ward.layout.database, limit: 1 << 24)
        // A row that refers to no other; the keys of its slot are orphans then.
        try ward.sqlite("PRAGMA foreign_keys = 0; DELETE FROM merchants")
        let reference = await ward.examine().findings
        #expect(reference.contains { $0.check == "database" && $0.severity == .critical })
        try DurableFile.write(whole, to: ward.layout.database, replacing: true)
        #expect(await ward.examine().findings.isEmpty)
        try ward.sqlite("CREATE TABLE planted (x)")
        let schema = try await ward.only("database", .critical)
        #expect(schema.summary.contains("planted"))
        let outcomes = await ward.examine().outcomes
        #expect(outcomes.first { $0.name == "ledger" }?.skipped == "the database cannot be opened")
        // Bits flipped in each page but the first, one at a time.
        for page in 1..<(whole.count / 4_096) {
            var flipped = whole
            for byte in 0..<16 { flipped[page * 4_096 + byte] ^= 0x55 }
            try DurableFile.write(flipped, to: ward.layout.database, replacing: true)
            #expect(await ward.examine().verdict == .critical, "page \(page)")
        }
        try DurableFile.write(whole, to: ward.layout.database, replacing: true)
        try ward.sqlite("PRAGMA journal_mode = delete")
        #expect(try await ward.only("database", .warning).summary.contains("delete"))
        try DurableFile.write(whole, to: ward.layout.database, replacing: true)
        try DurableFile.write([1], to: "\(ward.layout.database)-journal", replacing: false)
        #expect(try await ward.only("database", .critical).summary.contains("journal"))
    }

    @Test func `records that say something else than their certificates`() async throws {
        let ward = try await Ward()
        let later = ward.certificate.notAfter.adding(days: 365).seconds
        let other = try ward.pki.identity(
            merchant: ward.merchant.text, key: try TestPKI.sharedKey(.rsa2048).publicKey,
            from: ward.clock.now)
        let whole = try InputFile.read(ward.layout.database, limit: 1 << 24)
        for (sql, word) in [
            ("UPDATE certificates SET not_after = \(later)", "valid until"),
            ("UPDATE certificates SET serial = '00'", "serial number"),
            ("UPDATE certificates SET der = x'\(Hexadecimal.lowercase(other.der))'", "damaged"),
            (
                "UPDATE credentials SET csr = (SELECT csr FROM credentials WHERE id = "
                    + "'\(ward.processing.id)') WHERE id = '\(ward.identity.id)'", "CSR"
            ),
        ] {
            try ward.sqlite(sql)
            let finding = try await ward.only(
                "certificates", .critical, withKey: false, and: ["side-files"])
            #expect(finding.subject == ward.identity.id.text && finding.summary.contains(word))
            try DurableFile.write(whole, to: ward.layout.database, replacing: true)
        }
        try ward.sqlite(
            "UPDATE certificates SET der = x'\(Hexadecimal.lowercase(other.der))', "
                + "fingerprint = '\(other.sha256)', serial = '\(other.serialNumber)'")
        let finding = try await ward.only("certificates", .critical, withKey: false)
        #expect(finding.summary.contains("not made for its key"))
    }

    @Test func `a ledger that somebody has edited`() async throws {
        let ward = try await Ward()
        let triggers = try ForeignProcess.run(
            "sqlite3",
            [
                ward.layout.database,
                "SELECT 'DROP TRIGGER ' || name || ';' FROM sqlite_schema WHERE type = 'trigger'",
            ]
        ).text
        let again = try ForeignProcess.run(
            "sqlite3",
            [
                ward.layout.database,
                "SELECT sql || ';' FROM sqlite_schema WHERE type = 'trigger'",
            ]
        ).text
        try ward.sqlite(
            triggers + "UPDATE ledger SET subject = 'nobody' WHERE seq = 2;" + again)
        let finding = try await ward.only("ledger", .critical)
        #expect(finding.summary.contains("entry 2") && finding.remedy.contains("backup"))
    }

    @Test func `a clock that is behind, absurd or on its own`() async throws {
        let ward = try await Ward()
        let now = ward.clock.now
        ward.clock.move(to: now.adding(days: -1))
        #expect(try await ward.only("clock", .critical).summary.contains("newest entry"))
        ward.clock.move(to: Timestamp(seconds: 5_000_000_000))
        #expect(
            try await ward.only("clock", .critical, and: ["trust"]).summary
                .contains("cannot be"))
        ward.clock.move(to: now)
        var machine = Ward.soundMachine
        machine.clockIsSynchronised = false
        #expect(try await ward.only("clock", .ok, machine: machine).remedy.contains("timedatectl"))
    }

    @Test func `roots that are missing, changed, expired or strangers`() async throws {
        let ward = try await Ward()
        let name = ward.pki.identityRoot.certificate.sha256
        let path = "\(ward.layout.anchors)/lab/\(name).pem"
        let whole = try InputFile.read(path, limit: 65_536)
        try DurableFile.remove(path)
        #expect(try await ward.only("trust", .critical).subject == "lab/\(name)")
        try DurableFile.write(
            Array(ward.pki.stranger.certificate.pem.utf8), to: path, replacing: false)
        #expect(try await ward.only("trust", .critical).subject == "lab/\(name)")
        try DurableFile.write(whole, to: path, replacing: true)
        let stranger = ward.pki.stranger.certificate
        let unknown = "\(ward.layout.anchors)/lab/\(stranger.sha256).pem"
        try DurableFile.write(Array(stranger.pem.utf8), to: unknown, replacing: false)
        #expect(try await ward.only("trust", .ok).subject == unknown)
        try DurableFile.remove(unknown)
        // Into realm apple, by the back door.
        try Folder.makeAll(["anchors", "apple"], below: ward.layout.path)
        try DurableFile.write(
            Array(stranger.pem.utf8), to: "\(ward.layout.anchors)/apple/\(stranger.sha256).pem",
            replacing: false)
        try ward.sqlite("INSERT INTO realm_roots VALUES ('apple', '\(stranger.sha256)', 'CN=x')")
        #expect(try await ward.only("trust", .critical).summary.contains("root of Apple's"))
        try ward.sqlite("DELETE FROM realm_roots WHERE realm = 'apple'")
        try DurableFile.remove("\(ward.layout.anchors)/apple/\(stranger.sha256).pem")
        ward.clock.advance(days: 3_700)
        let expired = await ward.examine().findings
        #expect(expired.count == 5 && expired.allSatisfy { $0.check == "trust" }, "\(expired)")
        #expect(expired.allSatisfy { $0.severity == .warning && $0.summary.contains("expired") })
    }

    @Test func `a merchant of Apple's without its roots draws a note`() async throws {
        let ward = try await Ward()
        let home = try await OpenHome.open(
            ward.layout, mode: .readWrite, clock: ward.clock, actor: ward.home.actor)
        try await home.addMerchant(
            try MerchantIdentifier("merchant.com.example.real"), environments: [.production],
            change: MerchantChange())
        await home.database.close()
        #expect(try await ward.only("trust", .ok).remedy == "get them: purser trust fetch")
    }

    // MARK: - The machine

    @Test func `little room, swap and dumps`() async throws {
        let ward = try await Ward()
        var machine = Ward.soundMachine
        machine.space = FileSystemSpace(freeBytes: 1 << 20, freeInodes: nil)
        #expect(try await ward.only("space", .critical, machine: machine).remedy.contains("df -h"))
        machine.space = FileSystemSpace(freeBytes: 50 << 20, freeInodes: 10_000)
        #expect(
            try await ward.only("space", .warning, machine: machine).summary.contains("50 MiB"))
        machine.space = FileSystemSpace(freeBytes: 1 << 40, freeInodes: 20)
        #expect(try await ward.only("space", .critical, machine: machine).remedy.contains("df -i"))
        machine = Ward.soundMachine
        machine.swaps = ["/dev/sda2"]
        #expect(try await ward.only("swap", .ok, machine: machine).subject == "/dev/sda2")
        machine = Ward.soundMachine
        machine.coreLimit = nil
        #expect(
            try await ward.only("core-dumps", .ok, machine: machine).remedy.contains("LimitCORE=0"))
        machine.coreLimit = 0
        machine.undumpableAreDumped = true
        machine.corePattern = "|/usr/lib/systemd/systemd-coredump %P"
        let dumps = await ward.examine(machine: machine).findings
        #expect(dumps.count == 2 && dumps.allSatisfy { $0.severity == .ok })
    }

    @Test func `settings that do not parse are told, and so is this machine`() async throws {
        let ward = try await Ward()
        let findings = await ward.examine(problems: [FileError.notAFile(ward.layout.settings)])
            .findings
        #expect(findings.map(\.check) == ["settings"])
        let live = MachineFacts.live(home: ward.layout.path)
        #expect(live.space?.freeBytes ?? 0 > 0 && live.corePattern != nil)
    }
}
