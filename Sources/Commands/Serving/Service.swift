import API
import Daemon
import EventLoops
import Glibc
import Issuance
import Locks
import Sessions
import Settings
import Transfers
import WebServer

/// `purser serve` while it runs: the HTTP listener, the path to Apple, and the eye on the home.
struct Service: Sendable {
    private let settings: Settings
    private let manager: ServiceNotification
    private let journal: Journal
    private let keeper: RosterKeeper
    private let rollbacks: Rollbacks
    private let useKeeper: TokenUseKeeper
    private let loops: [EventLoop]
    private let transfers: [TransferLoop]
    private let desk: SessionDesk
    private let server: WebServer
    private let isDraining: Locked<Bool>

    /// Reads the home and begins to listen.
    ///
    /// - Throws: ``VaultError``, ``DatabaseError``, ``TransferError``, ``WebServerError``.
    init(
        _ unlocked: UnlockedHome, settings: Settings, listening: ListeningPlaces,
        manager: ServiceNotification, journal: Journal
    ) async throws {
        let keeper = RosterKeeper(
            layout: unlocked.home.layout, database: unlocked.home.database,
            secret: unlocked.secret, clock: unlocked.home.clock)
        let roster = try await keeper.load { journal.error($0) }
        let loops = try (0..<settings.serve.workerCount).map { number in
            guard let loop = EventLoop(name: "worker \(number)") else {
                throw TransferError.tooManyFiles
            }
            return loop
        }
        let transfers = try loops.map { try TransferLoop(on: $0) }
        let rollbacks = Rollbacks(unlocked, journal: journal)
        let desk = SessionDesk(
            roster: roster, loops: transfers,
            budget: SessionDesk.Budget(settings),
            rollbackDue: rollbacks.note)
        let isDraining = Locked(false)
        let readiness: @Sendable () -> Readiness = {
            let drain = isDraining.withLock { $0 } ? ["the service is draining"] : []
            return Readiness(
                merchants: desk.roster.count, unreadable: desk.roster.unreadableCount,
                reasons: drain + keeper.reasonsNotReady)
        }
        let records = HomeMetrics(unlocked.home.database, windows: settings.windows)
        await records.begin()
        let metrics = ServiceMetrics(
            transfers: transfers, home: records, circuits: { desk.openCircuits },
            readiness: readiness)
        try ServeError.check(listening.all, hasTokens: !roster.tokens.isEmpty)
        let uses = TokenUses()
        let api = ServiceAPI(
            desk: desk,
            home: HomeDesk(
                home: unlocked.home, vault: unlocked.vault, desk: desk, periods: settings.periods
            ) { await keeper.lookNow(into: desk) { journal.error($0) } },
            doorkeeper: Doorkeeper(
                clock: unlocked.home.clock, uses: uses, proxies: settings.serve.proxies,
                socketUsers: try settings.serve.socketUserIDs()),
            limits: ServiceAPI.Limits(
                perToken: settings.limits.tokenRequests,
                perMerchant: settings.limits.merchantRequests),
            version: Program.version, readiness: readiness,
            log: AccessLog(clock: unlocked.home.clock, write: journal.write),
            counters: RequestCounters(loops: loops.count), metrics: metrics.families,
            report: { journal.error($0, requestID: $1) })
        server = try WebServer(
            on: loops, listening: listening.addresses, passed: listening.passed,
            limits: WebServerLimits(settings.serve), refusing: api.refuse, log: journal.debug,
            unread: api.note,
            exhausted: { journal.error(TransferError.tooManyFiles) }, handler: api.answer)
        self.settings = settings
        self.manager = manager
        self.journal = journal
        self.keeper = keeper
        self.rollbacks = rollbacks
        useKeeper = TokenUseKeeper(home: unlocked.home, uses: uses)
        self.loops = loops
        self.transfers = transfers
        self.desk = desk
        self.isDraining = isDraining
    }

    /// Serves until a signal asks for the end, then drains; `watch` lives meanwhile.
    ///
    /// - Throws: ``DaemonError`` when the service manager cannot be told that the service is ready.
    func run(
        until signals: TerminationSignals, beside watch: WatchLoop? = nil
    ) async throws {
        let addresses = server.addresses.map(\.description).joined(separator: ", ")
        let count = desk.roster.count
        let status = "serving \(count) merchant\(count == 1 ? "" : "s") on \(addresses)"
        journal.note("ready", status)
        try manager.ready(status: status)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await follow() }
            group.addTask { await keepAlive() }
            group.addTask { await watch?.run() }
            group.addTask { await useKeeper.run() }
            group.addTask { await rollbacks.carryOut(for: desk, keeper) }
            await waitForEnd(signals)
            group.cancelAll()
        }
        for transfers in transfers { await transfers.shutDown() }
        for loop in loops { await loop.shutDown() }
        journal.note("stopped", Self.ending(cut: server.cutCount))
    }

    /// How it ended, for the log's last line.
    static func ending(cut: Int) -> String {
        switch cut {
        case 0: "every request that had begun is answered"
        case 1: "1 request that had begun was cut off; every other is answered"
        default: "\(cut) requests that had begun were cut off; every other is answered"
        }
    }

    private func follow() async {
        await keeper.follow(
            every: .milliseconds(settings.serve.reloadIntervalMilliseconds), into: desk
        ) { journal.error($0) }
    }

    /// Tells the watchdog that this process's tasks still run.
    private func keepAlive() async {
        guard let interval = manager.watchdogInterval else { return }
        while !Task.isCancelled {
            try? manager.watchdog()
            try? await Task.sleep(for: interval / 2)
        }
    }

    /// The first signal drains, a second one hurries; SIGHUP looks for changes at once.
    private func waitForEnd(_ signals: TerminationSignals) async {
        for await event in signals.events {
            guard event == .reload else { break }
            await keeper.lookNow(into: desk) { journal.error($0) }
        }
        isDraining.withLock { $0 = true }
        journal.note("draining", "new requests are refused")
        try? manager.stopping()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await server.drain(within: .seconds(settings.serve.drainSeconds)) }
            group.addTask {
                for await event in signals.events where event == .stop {
                    return await server.drain(within: .zero)
                }
            }
            await group.next()
            group.cancelAll()
        }
    }
}

extension Settings.Serve {
    /// How many event loops: as asked for, or one for each processor and 8 at most.
    fileprivate var workerCount: Int {
        workers > 0 ? workers : min(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1), 8)
    }
}

extension WebServerLimits {
    /// The settings' bounds.
    fileprivate init(_ settings: Settings.Serve) {
        self.init()
        maximumBodyBytes = settings.maximumBodyBytes
        maximumConnections = settings.maximumConnections
        maximumInFlight = settings.maximumInFlight
        handlerTimeout = .seconds(settings.requestTimeoutSeconds)
    }
}
