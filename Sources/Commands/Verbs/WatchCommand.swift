import Clocks
import Daemon
import Issuance
import Problems
import Sessions
import Settings
import Transfers
import Watch

/// `purser watch`.
enum WatchCommand {
    static let once = Option(flag: "once", "make one round and end, for a timer")

    static let verb = Verb(
        "watch", summary: "look beyond the database, and tell people what needs them",
        discussion: [
            "A round looks at what Apple and the issuers say, judges every merchant by the policies, "
                + "and tells what is due: by mail to the merchants' owners and to "
                + "alerts.mail.security, by alerts.webhook.url, in the file of alerts.textfile. "
                + "An expiry is told 90, 60, 30, 14, 7, 3 days and a day before and when it has "
                + "come, once on each channel; from 3 days on daily, until it is over or acknowledged. "
                + "What could not be told is tried again by later rounds, and so is what was being told "
                + "when a round was killed: then it may arrive twice.",
            "Without --once it makes rounds every watch.everySeconds until SIGTERM. serve makes rounds "
                + "itself where watch.inServe is set. Of several watches of one home one works at a "
                + "time. After each whole round alerts.heartbeat.url gets a sign of life with the "
                + "ledger's head: its silence says that nobody watches.",
        ],
        options: [once],
        examples: [
            Example("purser watch --once", "make one round, as the timer does"),
            Example("purser watch --once --json", "the same for a script"),
        ],
        statuses: [
            NamedStatus(
                69,
                "somebody is still to be told, the textfile or the heartbeat failed, or another watch "
                    + "is under way: a later round tries again"),
            NamedStatus(73, "nothing can be written to the home, so nothing was told"),
            NamedStatus(77, "the home or the file that unlocks it may not be read"),
            NamedStatus(78, "the settings, the home or its unlocker are wrong: no round was made"),
        ],
        needs: .key, isAct: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        // From here on a signal ends the rounds in order.
        let signals = await TerminationSignals()
        let unlocked = try await invocation.unlockHome()
        let settings = try await invocation.loadSettings().settings
        let loop = try TransferLoop()
        let outcome: Result<Void, any Error>
        do {
            let round: @Sendable () async throws -> WatchRound.Outcome = {
                try await invocation.watchOnce(
                    unlocked.home, settings,
                    checks: invocation.watchChecks(unlocked, settings, loop), on: loop)
            }
            if invocation.isSet(once) {
                try await makeOne(round, invocation, signals)
            } else {
                await repeatRounds(round, settings.watch, invocation, signals)
            }
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        await loop.shutDown()
        try outcome.get()
    }

    private static func makeOne(
        _ round: @escaping @Sendable () async throws -> WatchRound.Outcome,
        _ invocation: Invocation, _ signals: TerminationSignals
    ) async throws {
        let working = Task { try await round() }
        let listening = Task {
            for await event in signals.events where event != .reload { working.cancel() }
        }
        defer { listening.cancel() }
        let outcome = try await working.value
        try tell(outcome, invocation)
        // One number for all of it: the round was made, and somebody was not told.
        if outcome.firstUntold != nil { throw CommandStatus(69) }
    }

    private static func repeatRounds(
        _ round: @escaping @Sendable () async throws -> WatchRound.Outcome,
        _ settings: Settings.Watch, _ invocation: Invocation, _ signals: TerminationSignals
    ) async {
        let rounds = WatchLoop(round: round, interval: .seconds(settings.everySeconds)) { outcome in
            do {
                try tell(try outcome.get(), invocation)
            } catch {
                invocation.log(error)
            }
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await rounds.run() }
            group.addTask {
                for await event in signals.events where event != .reload { return }
            }
            await group.next()
            group.cancelAll()
        }
    }

    private static func tell(_ outcome: WatchRound.Outcome, _ invocation: Invocation) throws {
        for failure in outcome.allFailures { invocation.log(failure) }
        let context = invocation.context
        let unreachable = outcome.alerts.unreachable
        if unreachable > 0 {
            context.tell(
                "warning",
                "\(unreachable) open alert\(unreachable == 1 ? " reaches" : "s reach") nobody")
            context.tell("hint", "set alerts.mail.security, or name owners of the merchants")
        }
        try invocation.print(
            WatchReport(outcome, at: context.clock.now, reference: context.makeReference()))
    }
}

extension Invocation {
    /// What a round looks at beyond the database.
    func watchChecks(
        _ unlocked: UnlockedHome, _ settings: Settings, _ loop: TransferLoop
    ) -> [any WatchCheck] {
        var limits = NetworkChecks.Limits()
        limits.rehearseHours = settings.watch.rehearseHours
        limits.domainHours = settings.watch.domainHours
        let sessions = SessionDesk.Budget(settings)
        return [
            NetworkChecks(
                home: unlocked.home, vault: unlocked.vault, loop: loop, sessions: sessions,
                limits: limits)
        ]
    }
}
