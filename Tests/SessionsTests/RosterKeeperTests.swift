import Clocks
import Database
import Files
import Glibc
import Locks
import Merchants
import PKI
import Registry
import Secrets
import TestSupport
import Testing
import Transfers
import Vault

@testable import Sessions

/// A home with one merchant in service, changed by the hand of another process.
private struct ServedHome {
    let folder = TemporaryFolder()
    let layout: HomeLayout
    let secret = UnlockSecret.keyFile(.random(count: 32))
    let database: DatabaseFile
    let keeper: RosterKeeper
    let loop: TransferLoop

    init() async throws {
        layout = HomeLayout(path: folder.path)
        try Folder.make(layout.keys)
        try Folder.make(layout.anchors)
        let now = SystemClock().now
        let vault = try Vault.create(layout, secret: secret, at: now)
        database = try await DatabaseFile.open(
            path: layout.database, mode: .readWriteCreate, migrations: HomeSchema.migrations)
        loop = try TransferLoop()
        let pki = try TestPKI(now: now)
        let key = try TestPKI.sharedKey(.rsa2048)
        let certificate = try pki.identity(
            merchant: "merchant.com.example.shop", key: key.publicKey)
        let merchant = try Self.merchant("shop")
        let slot = KeySlot(
            merchant: merchant.identifier, kind: .merchantIdentity,
            publicKeyHash: key.publicKey.sha256)
        try vault.keep(key, certificate: certificate, chain: [], in: slot, replacing: false)
        let credential = Credential(
            id: .random(), merchant: merchant.identifier, realm: .apple, kind: .merchantIdentity,
            state: .active, custody: .local, provider: nil, publicKeyHash: slot.publicKeyHash,
            keyAlgorithm: "RSA 2048", csr: nil,
            certificate: CertificateRecord(
                der: certificate.der, fingerprint: certificate.sha256,
                subject: certificate.subject.rfc4514, serialNumber: certificate.serialNumber,
                notBefore: certificate.notBefore, notAfter: certificate.notAfter,
                teamIdentifier: nil, issuerVerified: true),
            createdAt: now, activatedAt: now)
        try await database.write { transaction in
            try MerchantRecords.add(merchant, in: transaction)
            try Domains.add(
                try DomainName("shop.example.com"), to: merchant.identifier, at: now,
                in: transaction)
            try Credentials.insert(credential, in: transaction)
        }
        let own = try await DatabaseFile.open(
            path: layout.database, mode: .readWrite, migrations: HomeSchema.migrations)
        keeper = RosterKeeper(layout: layout, database: own, secret: secret)
    }

    /// Adds an identity that was in use before, with a key of its own.
    func addRetiring(days: Int64, activatedAt: Timestamp) async throws -> CertificateRecord {
        let now = SystemClock().now
        let merchant = try Self.merchant("shop").identifier
        let key = try PrivateKey.generate(.rsa2048)
        let certificate = try TestPKI(now: now).identity(
            merchant: merchant.text, key: key.publicKey, days: days)
        let slot = KeySlot(
            merchant: merchant, kind: .merchantIdentity, publicKeyHash: key.publicKey.sha256)
        let vault = try Vault.open(layout, secret: secret)
        try vault.keep(key, certificate: certificate, chain: [], in: slot, replacing: false)
        let record = CertificateRecord(
            der: certificate.der, fingerprint: certificate.sha256,
            subject: certificate.subject.rfc4514, serialNumber: certificate.serialNumber,
            notBefore: certificate.notBefore, notAfter: certificate.notAfter,
            teamIdentifier: nil, issuerVerified: true)
        let credential = Credential(
            id: .random(), merchant: merchant, realm: .apple, kind: .merchantIdentity,
            state: .retiring, custody: .local, provider: nil, publicKeyHash: slot.publicKeyHash,
            keyAlgorithm: "RSA 2048", csr: nil, certificate: record, createdAt: now,
            activatedAt: activatedAt)
        try await database.write { try Credentials.insert(credential, in: $0) }
        return record
    }

    static func merchant(_ name: String) throws -> Merchant {
        Merchant(
            identifier: try MerchantIdentifier("merchant.com.example.\(name)"), realm: .apple,
            environments: [.production], name: nil, displayName: try DisplayName("Shop"),
            team: nil, owners: [], createdAt: SystemClock().now, retiredAt: nil)
    }

    /// The path of the one key file.
    func bundle() throws -> String {
        let slots = try layout.slots(of: try MerchantIdentifier("merchant.com.example.shop"))
        return layout.bundle(try #require(slots.first))
    }
}

@Suite struct RosterKeeperTests {
    @Test func `what another process changes is in force at the next look`() async throws {
        let home = try await ServedHome()
        let desk = SessionDesk(
            roster: try await home.keeper.load { Issue.record($0) }, loop: home.loop)
        #expect(desk.roster.count == 1 && desk.roster.identities.count == 1)
        let added = try ServedHome.merchant("other")
        try await home.database.write { try MerchantRecords.add(added, in: $0) }
        await home.keeper.lookNow(into: desk) { Issue.record($0) }
        #expect(desk.roster.count == 2)
        let before = desk.roster
        await home.keeper.lookNow(into: desk) { Issue.record($0) }
        #expect(desk.roster === before)
    }

    @Test func `what was there before a look is in force after it, however many look`() async throws
    {
        let home = try await ServedHome()
        let desk = SessionDesk(
            roster: try await home.keeper.load { Issue.record($0) }, loop: home.loop)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for round in 0..<5 {
                        let added = try ServedHome.merchant("m\(number)-\(round)")
                        try await home.database.write { try MerchantRecords.add(added, in: $0) }
                        await home.keeper.lookNow(into: desk) { Issue.record($0) }
                        // Of one that it does not serve it would say that there is none.
                        let order = SessionOrder(
                            domain: try DomainName("shop.example.com"), merchant: added.identifier)
                        #expect(
                            throws: SessionError.domainNotRegistered(
                                order.domain, merchant: added.identifier)
                        ) { try desk.roster.merchant(of: order) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(desk.roster.count == 41)
    }

    @Test func `following takes less than a second and ends with its task`() async throws {
        let home = try await ServedHome()
        let desk = SessionDesk(
            roster: try await home.keeper.load { Issue.record($0) }, loop: home.loop)
        let following = Task {
            await home.keeper.follow(every: .milliseconds(50), into: desk) { Issue.record($0) }
        }
        let added = try ServedHome.merchant("other")
        try await home.database.write { try MerchantRecords.add(added, in: $0) }
        #expect(try await BackgroundProcess.wait(seconds: 5) { desk.roster.count == 2 })
        following.cancel()
        await following.value
    }

    @Test func `a key that cannot be opened is reported and takes nobody else along`() async throws
    {
        let home = try await ServedHome()
        let other = try ServedHome.merchant("other")
        try await home.database.write { try MerchantRecords.add(other, in: $0) }
        try DurableFile.write(Array("no PKCS#12".utf8), to: try home.bundle(), replacing: true)
        let reports = Locked<[String]>([])
        let roster = try await home.keeper.load { error in
            reports.withLock { $0.append("\(error)") }
        }
        #expect(roster.count == 2 && roster.identities.isEmpty)
        #expect(reports.withLock { $0 }.count == 1)
        let merchant = try MerchantIdentifier("merchant.com.example.shop")
        let desk = SessionDesk(roster: roster, loop: home.loop)
        let order = SessionOrder(domain: try DomainName("shop.example.com"), merchant: nil)
        await #expect(throws: SessionError.keyUnavailable(merchant)) {
            try await desk.session(for: order)
        }
    }

    @Test func `the identity that was in use last stands behind the one in use, while it is valid`()
        async throws
    {
        let home = try await ServedHome()
        let clock = ManualClock(SystemClock().now)
        let keeper = RosterKeeper(
            layout: home.layout, database: home.database, secret: home.secret, clock: clock)
        func fallbacks() async throws -> [String] {
            try await keeper.load { Issue.record($0) }.fallbackRoutes.map(\.fingerprint)
        }
        #expect(try await fallbacks() == [])
        let longer = try await home.addRetiring(
            days: 90, activatedAt: clock.now.adding(days: -90))
        #expect(try await fallbacks() == [longer.fingerprint])
        let later = try await home.addRetiring(days: 30, activatedAt: clock.now.adding(days: -1))
        #expect(try await fallbacks() == [later.fingerprint])
        clock.move(to: clock.now.adding(days: 31))
        #expect(try await fallbacks() == [longer.fingerprint])
        clock.move(to: clock.now.adding(days: 91))
        #expect(try await fallbacks() == [])
    }

    @Test func `a retiring identity whose key cannot be opened is reported, and not needed`()
        async throws
    {
        let home = try await ServedHome()
        let shop = try await home.addRetiring(days: 90, activatedAt: SystemClock().now)
        let slots = try home.layout.slots(of: ServedHome.merchant("shop").identifier)
        let active = try await home.keeper.load { Issue.record($0) }.identities
        #expect(active.count == 1 && active.first?.fingerprint != shop.fingerprint)
        let shared = try TestPKI.sharedKey(.rsa2048).publicKey.sha256
        let retiring = try #require(slots.first { $0.publicKeyHash != shared })
        try DurableFile.write(
            Array("no PKCS#12".utf8), to: home.layout.bundle(retiring), replacing: true)
        let reports = Locked(0)
        let keeper = RosterKeeper(
            layout: home.layout, database: home.database, secret: home.secret)
        let roster = try await keeper.load { _ in reports.withLock { $0 += 1 } }
        #expect(roster.identities.count == 1 && roster.fallbackRoutes.isEmpty)
        #expect(roster.unreadableCount == 0 && reports.withLock { $0 } == 1)
    }

    @Test(arguments: [
        "UPDATE merchants SET created_at = 999999999999 WHERE id LIKE '%.other'",
        "UPDATE domains SET domain = '-' WHERE domain = 'spare.example.com'",
        "UPDATE merchants SET owners = 'x' WHERE id LIKE '%.other'",
    ])
    func `a merchant whose records are damaged takes nobody else along`(sql: String) async throws {
        let home = try await ServedHome()
        let other = try ServedHome.merchant("other")
        try await home.database.write { transaction in
            try MerchantRecords.add(other, in: transaction)
            for domain in ["other.example.com", "spare.example.com"] {
                try Domains.add(
                    try DomainName(domain), to: other.identifier, at: SystemClock().now,
                    in: transaction)
            }
        }
        let done = try ForeignProcess.run(
            "sqlite3", [home.layout.database, "PRAGMA ignore_check_constraints = 1; \(sql)"])
        #expect(done.status == 0, "\(done.errorText)")
        let reports = Locked<[String]>([])
        let roster = try await home.keeper.load { error in
            reports.withLock { $0.append("\(error)") }
        }
        #expect(roster.count == 2 && roster.unreadableCount == 1 && roster.identities.count == 1)
        #expect(reports.withLock { $0 }.count == 1)
        #expect(reports.withLock { $0 }.first?.contains(other.identifier.text) == true)
        let desk = SessionDesk(roster: roster, loop: home.loop)
        // Also by its domain alone, which is nobody else's.
        for merchant in [other.identifier, nil] {
            let order = SessionOrder(
                domain: try DomainName("other.example.com"), merchant: merchant)
            let error = await #expect(throws: SessionError.self) {
                try await desk.session(for: order)
            }
            #expect(error?.code == "session.merchant-damaged")
        }
    }

    @Test func `a home that cannot be read leaves its last good state in force, and says so`()
        async throws
    {
        let home = try await ServedHome()
        let desk = SessionDesk(
            roster: try await home.keeper.load { Issue.record($0) }, loop: home.loop)
        let master = try InputFile.read(home.layout.master, limit: 100_000)
        try DurableFile.write(Array("{".utf8), to: home.layout.master, replacing: true)
        let reports = Locked<[String]>([])
        for _ in 0..<3 {
            await home.keeper.lookNow(into: desk) { error in
                reports.withLock { $0.append("\(error)") }
            }
        }
        #expect(desk.roster.identities.count == 1)
        #expect(home.keeper.reasonsNotReady.count == 1)
        // Once, not at every look.
        #expect(reports.withLock { $0 }.count == 1)
        try DurableFile.write(master, to: home.layout.master, replacing: true)
        await home.keeper.lookNow(into: desk) { Issue.record($0) }
        #expect(home.keeper.reasonsNotReady.isEmpty && desk.roster.identities.count == 1)
    }

    @Test(arguments: [true, false])
    func `a database that another file has replaced is told, and its own name brings it back`(
        isFileThere: Bool
    ) async throws {
        let home = try await ServedHome()
        let desk = SessionDesk(
            roster: try await home.keeper.load { Issue.record($0) }, loop: home.loop)
        let (path, kept) = (home.layout.database, home.folder.file("kept"))
        // What is open goes on answering, and never shows a change again.
        #expect(rename(path, kept) == 0)
        if isFileThere {
            // Not at the path itself: SQLite would delete the log of that name.
            let other = home.folder.file("other")
            _ = try ForeignProcess.run("sqlite3", [kept, "VACUUM INTO '\(other)'"])
            #expect(chmod(other, 0o600) == 0 && rename(other, path) == 0)
        }
        let reports = Locked<[SessionError?]>([])
        for _ in 0..<3 {
            await home.keeper.lookNow(into: desk) { error in
                reports.withLock { $0.append(error as? SessionError) }
            }
        }
        #expect(reports.withLock { $0 } == [.homeReplaced])
        #expect(
            home.keeper.reasonsNotReady.count == 1
                && home.keeper.reasonsNotReady[0].contains("session.home-replaced"))
        #expect(desk.roster.identities.count == 1)
        #expect(rename(kept, path) == 0)
        await home.keeper.lookNow(into: desk) { Issue.record($0) }
        #expect(home.keeper.reasonsNotReady.isEmpty)
    }

    @Test(arguments: ["-wal", "-shm"], [true, false])
    func `a log or its index that is gone or another is told like a replaced database`(
        suffix: String, isFileThere: Bool
    ) async throws {
        let home = try await ServedHome()
        let desk = SessionDesk(
            roster: try await home.keeper.load { Issue.record($0) }, loop: home.loop)
        let path = home.layout.database + suffix
        #expect(rename(path, home.folder.file("kept")) == 0)
        if isFileThere { try DurableFile.write([UInt8](), to: path, replacing: false) }
        let reports = Locked<[SessionError?]>([])
        for _ in 0..<3 {
            await home.keeper.lookNow(into: desk) { error in
                reports.withLock { $0.append(error as? SessionError) }
            }
        }
        #expect(reports.withLock { $0 } == [.homeReplaced])
        #expect(home.keeper.reasonsNotReady.first?.contains("session.home-replaced") == true)
    }
}
