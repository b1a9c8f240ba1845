import Clocks
import Database
import Files
package import Issuance
import Ledger
package import Merchants
import Problems
import Registry
import Vault

/// One run of the watch: look, judge, tell, and say that it was done.
///
/// One at a time in a home, by an flock on `watch.lock` that goes with its holder. The heartbeat
/// comes last: it says that the whole round was done, so its silence says that one was not.
package struct WatchRound: Sendable {
    private let home: OpenHome
    private let checks: [any WatchCheck]
    private let findings: @Sendable () async throws -> [Finding]
    private let channels: [any AlertChannel]
    private let textfile: AlertTextfile?
    private let heartbeat: Heartbeat?

    /// `findings` are asked for after the checks: what they have observed is in them.
    package init(
        home: OpenHome, checks: [any WatchCheck], channels: [any AlertChannel],
        textfile: AlertTextfile?, heartbeat: Heartbeat?,
        findings: @escaping @Sendable () async throws -> [Finding]
    ) {
        self.home = home
        self.checks = checks
        self.findings = findings
        self.channels = channels
        self.textfile = textfile
        self.heartbeat = heartbeat
    }

    /// What a round has done.
    package struct Outcome: Sendable {
        package var alerts = AlertEngine.Outcome()
        /// What kept checks from seeing something.
        package var blind: [any Error] = []
        /// What went wrong with the textfile and the heartbeat.
        package var errors: [any Error] = []

        /// The first failure to tell somebody; a check that could not see is none.
        package var firstUntold: (any Error)? {
            alerts.failures.first.map { $0 as any Error } ?? errors.first
        }
    }

    /// Runs once, after another watch that is under way, but waits `patience` for it at most.
    ///
    /// - Throws: ``WatchError/busy``, `FileError`, `DatabaseError`, `CancellationError`, and what
    ///   `findings` throws: then nothing was told that is not recorded, and there is no heartbeat.
    package func run(waiting patience: Duration = .seconds(60)) async throws -> Outcome {
        let lock = try await FileLock.wait(for: home.layout.watchLock, .exclusive, within: patience)
        guard let lock else { throw WatchError.busy }
        defer { withExtendedLifetime(lock) {} }
        do {
            return try await runAlone()
        } catch let error as CancellationError {
            // A round that was stopped has not failed.
            throw error
        } catch {
            // Nil where that fails too, as on a full disk: the error itself is thrown on.
            try? await record([observation(.watch, failure: error)])
            throw error
        }
    }

    private func runAlone() async throws -> Outcome {
        var outcome = Outcome()
        for check in checks { outcome.blind += await check.run() }
        let engine = AlertEngine(
            database: home.database, channels: channels, clock: home.clock)
        outcome.alerts = try await engine.run(try await findings())
        // The textfile has every alert; and who has set nothing does not want to be told.
        if textfile != nil || (channels.isEmpty && heartbeat == nil) {
            outcome.alerts.unreachable = 0
        }
        try Task.checkCancellation()
        let beat = try await beat(outcome.alerts)
        if let textfile {
            do {
                try textfile.write(
                    outcome.alerts.open, undelivered: beat.alerts.undelivered, at: beat.at)
            } catch {
                outcome.errors.append(error)
            }
        }
        // Whoever is still to hear is a reason not to call it done.
        var seen = [observation(.watch, failure: outcome.firstUntold)]
        if let heartbeat {
            do throws(WatchError) {
                try await heartbeat.send(beat)
                seen.append(observation(.heartbeat, failure: nil))
            } catch {
                outcome.errors.append(error)
                seen.append(observation(.heartbeat, failure: error))
            }
        }
        try await record(seen)
        return outcome
    }

    private func beat(_ alerts: AlertEngine.Outcome) async throws -> Heartbeat.Beat {
        let now = home.clock.now
        return try await home.database.read { transaction in
            Heartbeat.Beat(
                at: now,
                merchants: try MerchantRecords.list(
                    includingRetired: false, in: transaction, damaged: { _, _ in }
                ).count, open: alerts.open, undelivered: alerts.untold,
                head: try Ledger.head(in: transaction))
        }
    }

    private func observation(_ sort: Observation.Sort, failure: (any Error)?) -> Observation {
        Observation(
            sort, outcome: failure == nil ? "done" : "failed",
            detail: failure.map(Self.sentence) ?? "", at: home.clock.now)
    }

    private static func sentence(_ error: any Error) -> String {
        (error as? any Explained)?.summary ?? "an internal error"
    }

    private func record(_ seen: [Observation]) async throws {
        try await home.database.write { transaction in
            for one in seen { try Observations.record(one, in: transaction) }
        }
    }
}
