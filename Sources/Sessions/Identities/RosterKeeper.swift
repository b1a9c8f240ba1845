package import Clocks
package import Database
import Files
import Locks
package import Merchants
import Problems
import Registry
package import Vault

/// Keeps a roster in step with the home: what any command changes is in force within a second,
/// without a restart or a signal.
///
/// It asks the database's change counter, and opens only keys that it has not opened before. A
/// reload that fails keeps the last good roster and says so. It runs on a thread of its own, because
/// opening keys blocks.
package actor RosterKeeper {
    private let layout: HomeLayout
    private let database: DatabaseFile
    private let secret: UnlockSecret
    private let clock: any WallClock
    private let executor = ThreadExecutor(name: "roster")
    /// Why the roster may be out of date; empty when it is not.
    private let troubles = Locked<[String]>([])

    private var vault: Vault?
    private var masterStatus: FileStatus?
    private var counter: Int64?
    private var opened: [String: ActiveIdentity] = [:]
    /// Whether a look is under way, and who has asked for one meanwhile.
    private var isLooking = false
    private var waiting: [CheckedContinuation<Bool, Never>] = []

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// `secret` is kept, so that a rotation of the vault keys can be followed.
    ///
    /// By `clock` a retiring identity is tried only while its certificate is valid.
    package init(
        layout: HomeLayout, database: DatabaseFile, secret: UnlockSecret,
        clock: any WallClock = SystemClock()
    ) {
        self.layout = layout
        self.database = database
        self.secret = secret
        self.clock = clock
    }

    /// Why the roster may be out of date, each one sentence; for /readyz.
    package nonisolated var reasonsNotReady: [String] { troubles.withLock { $0 } }

    /// Reads the roster; `report` is told of each key that cannot be opened.
    ///
    /// With `only`, no other merchant's key is opened.
    ///
    /// - Throws: ``VaultError``, ``DatabaseError``; a single bad key is no error.
    package func load(
        only merchant: MerchantIdentifier? = nil, report: @Sendable (any Error) -> Void
    ) async throws -> Roster {
        try HomeGuard.check(layout)
        try openVault()
        // The counter first: a change between the two reads is seen again at the next look.
        counter = try await database.changeCounter()
        let snapshot = try await database.read { try ServingSnapshot(in: $0) }
        let damaged = Self.damaged(snapshot.damaged, only: merchant, report: report)
        for why in snapshot.damagedTokens { report(why) }
        let served = snapshot.merchants.filter {
            merchant == nil || $0.merchant.identifier == merchant
        }
        return roster(of: served, snapshot, damaged: damaged, report: report)
    }

    /// Reports each merchant whose records cannot be read.
    private static func damaged(
        _ merchants: [DamagedMerchant], only wanted: MerchantIdentifier?,
        report: @Sendable (any Error) -> Void
    ) -> [Roster.Damaged] {
        merchants.compactMap { merchant in
            guard wanted == nil || merchant.identifier == wanted else { return nil }
            guard let identifier = merchant.identifier else {
                report(merchant.why)
                return nil
            }
            let what = (merchant.why as? any Explained)?.summary ?? "it is damaged"
            let damaged = Roster.Damaged(
                identifier: identifier, domains: merchant.domains, what: what)
            report(damaged.error)
            return damaged
        }
    }

    /// Follows the home until its task is cancelled: every `interval` it looks for a change, and
    /// puts what it finds into force at `desk`.
    package func follow(
        every interval: Duration, into desk: SessionDesk, report: @Sendable (any Error) -> Void
    ) async {
        while !Task.isCancelled {
            try? await Task.sleep(for: interval)
            if Task.isCancelled { return }
            await lookNow(into: desk, report: report)
        }
    }

    /// Looks for a change, and puts what it finds into force at `desk`.
    ///
    /// Looks never overlap, so that none puts an older roster over a newer one: who asks during one
    /// has it repeated, and waits for that. So what was in the home before the call is in force after it.
    package func lookNow(into desk: SessionDesk, report: @Sendable (any Error) -> Void) async {
        if isLooking {
            // Woken when somebody else has looked, or to look for all who wait.
            guard await withCheckedContinuation({ waiting.append($0) }) else { return }
        }
        isLooking = true
        let asking = waiting
        waiting = []
        await look(into: desk, report: report)
        asking.forEach { $0.resume(returning: false) }
        if waiting.isEmpty {
            isLooking = false
        } else {
            waiting.removeFirst().resume(returning: true)
        }
    }

    private func look(into desk: SessionDesk, report: @Sendable (any Error) -> Void) async {
        do {
            try await database.refuseReplaced()
            guard try await isChanged() else { return }
            desk.replace(roster: try await load(report: report))
            troubles.withLock { $0 = [] }
        } catch let found {
            let error = Self.explained(found)
            let text = "the home cannot be read again, so its last good state is served"
            let isNew = troubles.withLock { troubles in
                defer { troubles = ["\(text): \(error)"] }
                return troubles.isEmpty
            }
            if isNew { report(error) }
        }
    }

    private func isChanged() async throws -> Bool {
        // While there is trouble every look is a try.
        if !reasonsNotReady.isEmpty { return true }
        if try FileStatus.ifPresent(layout.master) != masterStatus { return true }
        return try await database.changeCounter() != counter
    }

    /// What is open stays readable when its name goes to another file, and never changes again.
    private static func explained(_ error: any Error) -> any Error {
        if case DatabaseError.filesReplaced = error { SessionError.homeReplaced } else { error }
    }

    private func openVault() throws {
        let status = try FileStatus.ifPresent(layout.master)
        if let vault {
            try vault.follow()
        } else {
            vault = try Vault.open(layout, secret: secret)
        }
        masterStatus = status
    }

    private func roster(
        of merchants: [ServedMerchant], _ snapshot: ServingSnapshot, damaged: [Roster.Damaged],
        report: @Sendable (any Error) -> Void
    ) -> Roster {
        let environments = Dictionary(
            snapshot.environments.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var stillInUse: [String: ActiveIdentity] = [:]
        let entries = merchants.map { served in
            let identity = identity(of: served, report: report)
            var fallback: ActiveIdentity?
            if case .ready(let ready) = identity {
                stillInUse[ready.fingerprint] = ready
                fallback = self.fallback(of: served, report: report)
                if let fallback { stillInUse[fallback.fingerprint] = fallback }
            }
            return Roster.Entry(
                merchant: served.merchant, domains: Set(served.domains),
                environments: served.merchant.environments.compactMap { environments[$0] },
                identity: identity, fallback: fallback)
        }
        // Keys that are not in use any more are wiped with their last connection.
        opened = stillInUse
        return Roster(
            entries, known: snapshot.known, environments: snapshot.environments.map(\.name),
            damaged: damaged, tokens: snapshot.tokens,
            associationFiles: snapshot.associationFiles)
    }

    private func identity(
        of served: ServedMerchant, report: @Sendable (any Error) -> Void
    ) -> Roster.Identity {
        guard let active = served.identities.first(where: { $0.state == .active }), vault != nil
        else { return .none }
        return open(active, of: served, report: report).map { .ready($0) } ?? .unreadable
    }

    /// Of the retiring identities that Apple may still accept, the one that was in use last.
    private func fallback(
        of served: ServedMerchant, report: @Sendable (any Error) -> Void
    ) -> ActiveIdentity? {
        let now = clock.now
        let last = served.identities.filter {
            $0.state == .retiring && $0.certificate.notBefore <= now
                && now <= $0.certificate.notAfter
        }.max { ($0.activatedAt?.seconds ?? .min) < ($1.activatedAt?.seconds ?? .min) }
        return last.flatMap { open($0, of: served, report: report) }
    }

    private func open(
        _ identity: ServedIdentity, of served: ServedMerchant,
        report: @Sendable (any Error) -> Void
    ) -> ActiveIdentity? {
        if let known = opened[identity.certificate.fingerprint] { return known }
        guard let vault else { return nil }
        do {
            return try ActiveIdentity(
                credential: identity.id, certificate: identity.certificate,
                in: KeySlot(
                    merchant: served.merchant.identifier, kind: .merchantIdentity,
                    publicKeyHash: identity.publicKeyHash), of: vault)
        } catch {
            report(error)
            return nil
        }
    }
}
