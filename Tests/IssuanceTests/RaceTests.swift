import Clocks
import Database
import Files
import Glibc
import HomeSupport
import Issuance
import Ledger
import Locks
import Merchants
import PKI
import Registry
import Secrets
import TestSupport
import Testing
import Vault

/// Two programs at work on the same merchant, at the worst moment.
///
/// The other program holds the write lock of the database, in which reading goes on: so the act
/// under test finds everything as it was, and then waits for the lock.
@Suite(.timeLimit(.minutes(2))) struct RaceTests {
    /// Holds the write lock while `body` runs, which begins once it is held; `change` is committed
    /// as soon as `isTime` says so, at the latest after eight seconds.
    private func whileLocked<Result: Sendable>(
        _ shop: Shop, change: @escaping @Sendable (borrowing Transaction) throws -> Void,
        until isTime: @escaping @Sendable () -> Bool,
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        let rival = try await DatabaseFile.open(
            path: shop.home.layout.database, mode: .readWrite, migrations: HomeSchema.migrations)
        let isHeld = Locked(false)
        async let committed: Void = rival.write { transaction in
            try change(transaction)
            isHeld.withLock { $0 = true }
            let deadline = ContinuousClock.now + .seconds(8)
            while !isTime() && ContinuousClock.now < deadline { usleep(5_000) }
        }
        while !isHeld.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
        let outcome: Swift.Result<Result, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        try await committed
        return try outcome.get()
    }

    /// Whether the key file in `slot` holds a certificate: the last step before the record.
    private func isKept(_ shop: Shop, _ slot: KeySlot) -> Bool {
        (try? shop.vault.key(in: slot).certificate) != nil
    }

    @Test func `a merchant that is retired during an import gets no certificate`() async throws {
        let shop = try await Shop()
        let made = try await shop.request(.merchantIdentity)
        let certificate = try shop.certificate(for: made.csr, .merchantIdentity)
        let (merchant, now) = (shop.merchant, shop.clock.now)
        let slot = shop.slot(made.credential)
        await #expect(throws: RegistryError.merchantRetired(merchant)) {
            try await whileLocked(
                shop,
                change: { transaction in
                    let credentials = try Credentials.list(merchant: merchant, in: transaction)
                    try Credentials.apply(
                        credentials.compactMap(planRetirement), at: now, in: transaction)
                    try MerchantRecords.retire(merchant, at: now, in: transaction)
                }, until: { isKept(shop, slot) }
            ) { try await shop.importing(certificate) }
        }
        #expect(try await shop.state(made.credential.id) == .abandoned)
        #expect(try await !shop.acts().contains("certificate.imported"))
    }

    @Test func `nor does a pair that is imported meanwhile make a credential`() async throws {
        let shop = try await Shop()
        let key = try PrivateKey.generate(.ecP256)
        let pair = try shop.pki.processing(
            merchant: shop.merchant.text, key: key.publicKey, from: shop.clock.now, days: 700)
        let (merchant, now) = (shop.merchant, shop.clock.now)
        let slot = KeySlot(
            merchant: merchant, kind: .paymentProcessing, publicKeyHash: key.publicKey.sha256)
        await #expect(throws: RegistryError.merchantRetired(merchant)) {
            try await whileLocked(
                shop, change: { try MerchantRecords.retire(merchant, at: now, in: $0) },
                until: { isKept(shop, slot) }
            ) { try await shop.importing(pair, key: key) }
        }
        #expect(try await shop.credentials().isEmpty)
    }

    @Test(arguments: [CredentialKind.merchantIdentity, .paymentProcessing])
    func `a merchant that is retired during an activation gets no active certificate`(
        kind: CredentialKind
    ) async throws {
        let shop = try await Shop()
        let issued = try await shop.issued(kind)
        let (merchant, now) = (shop.merchant, shop.clock.now)
        // Nothing shows from outside that the act has come to the lock.
        let time = ContinuousClock.now + .seconds(1)
        await #expect(throws: RegistryError.merchantRetired(merchant)) {
            try await whileLocked(
                shop, change: { try MerchantRecords.retire(merchant, at: now, in: $0) },
                until: { ContinuousClock.now > time }
            ) {
                kind == .merchantIdentity
                    ? try await shop.home.activate(issued.id, vault: shop.vault, proof: .waived)
                    : try await shop.home.recordActivation(issued.id, at: nil, vault: shop.vault)
            }
        }
        #expect(try await shop.state(issued.id) == .issued)
    }

    /// A second program with the same home.
    private func other(_ shop: Shop) async throws -> OpenHome {
        try await OpenHome.open(
            shop.home.layout, mode: .readWrite, clock: shop.clock, actor: shop.home.actor)
    }

    @Test func `of two programs that import the same pair both succeed, and one was first`()
        async throws
    {
        let shop = try await Shop()
        let other = try await other(shop)
        let key = try PrivateKey.generate(.ecP256)
        let pair = try shop.pki.processing(
            merchant: shop.merchant.text, key: key.publicKey, from: shop.clock.now, days: 700)
        let slot = KeySlot(
            merchant: shop.merchant, kind: .paymentProcessing, publicKeyHash: key.publicKey.sha256)
        let time = Locked<ContinuousClock.Instant?>(nil)
        let (one, two) = try await whileLocked(
            shop, change: { _ in },
            // Once the first has kept the key, there is time for the second to find no record either.
            until: {
                guard isKept(shop, slot) else { return false }
                let until = time.withLock { time in
                    time = time ?? ContinuousClock.now + .seconds(1)
                    return time
                }
                return until.map { ContinuousClock.now > $0 } ?? false
            }
        ) {
            async let one = shop.importing(pair, key: key)
            async let two = other.importCertificate(
                SecretBytes(copying: pair.der), keyFile: key.pkcs8PEM(), kind: nil,
                for: shop.merchant, vault: shop.vault)
            return try await (one, two)
        }
        #expect(one.credential.id == two.credential.id)
        #expect([one.isNew, two.isNew].count { $0 } == 1)
        #expect(try await shop.credentials().count == 1)
        #expect(try await shop.acts().count { $0 == "certificate.imported" } == 1)
    }
}
