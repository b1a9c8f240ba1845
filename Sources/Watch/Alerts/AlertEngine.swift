package import Clocks
package import Database
package import Merchants
package import Problems
import Registry

/// Makes alerts of findings and tells those who have to know: at least once each.
///
/// First the alerts are written, then receivers are told, and what a receiver took is recorded after
/// it took it. A run that is killed in between tells it again the next time, under the same id
/// (``Tiding/id``); nothing is recorded as told that was not taken. A failure is recorded too, and
/// waits (``BackOff``) for a later run. Only one run at a time, which is the caller's to see to.
package struct AlertEngine: Sendable {
    private let database: DatabaseFile
    private let channels: [any AlertChannel]
    private let clock: any WallClock

    package init(
        database: DatabaseFile, channels: [any AlertChannel], clock: any WallClock
    ) {
        self.database = database
        self.channels = channels
        self.clock = clock
    }

    /// After so many in a row, each of which may take a time-out, a channel is left for a later run.
    static let mostFailuresInRow = 5

    /// What one run has done.
    package struct Outcome: Sendable {
        package var raised = 0
        package var resolved = 0
        /// Tidings that receivers took.
        package var told = 0
        /// Tidings that are owed and were not told, those that wait for a later try included.
        package var untold = 0
        /// How many of them wait for a later try and were not tried by this run.
        package var waiting = 0
        /// Open alerts that no channel has a receiver for.
        package var unreachable = 0
        /// Why, one for each receiver or channel.
        package var failures: [any Explained] = []
        /// All that are open now.
        package var open: [Alert] = []
    }

    /// Takes in all findings there are: a problem that none of them speaks of is over.
    ///
    /// - Throws: `DatabaseError`, `RegistryError`: what cannot be recorded is not told.
    package func run(_ findings: [Finding]) async throws -> Outcome {
        let now = clock.now
        let book = try await database.write { try AlertBook(findings, at: now, in: $0) }
        var outcome = Outcome()
        outcome.raised = book.plan.raised.count
        outcome.resolved = book.plan.resolved.count
        outcome.open = book.plan.open
        outcome.failures = book.damaged
        outcome.unreachable = book.unreachable(by: channels)
        try await forget(book.orphans(beside: channels))
        // Side by side: a channel that dawdles does not hold up another.
        try await withThrowingTaskGroup(of: Outcome.self) { group in
            for channel in channels {
                group.addTask { try await serve(channel, book, at: now) }
            }
            for try await one in group {
                outcome.told += one.told
                outcome.untold += one.untold
                outcome.waiting += one.waiting
                outcome.failures += one.failures
            }
        }
        return outcome
    }

    private func serve(
        _ channel: any AlertChannel, _ book: AlertBook, at now: Timestamp
    ) async throws -> Outcome {
        let duties = book.duties(of: channel, at: now)
        try await forget(duties.obsolete)
        try await remove(duties.gone)
        var outcome = Outcome()
        outcome.untold = duties.waiting.count
        outcome.waiting = duties.waiting.count
        if let fault = channel.fault {
            // Told even where nobody has anything to hear: it would be too late then.
            outcome.failures.append(fault)
        } else if let next = duties.waiting.compactMap(\.nextAttemptAt).min() {
            outcome.failures.append(
                WatchError.waiting(
                    channel: channel.sort, count: duties.waiting.count, until: next))
        }
        var lasting: Untold?
        var failuresInRow = 0
        for (receiver, tidings) in duties.due {
            for part in tidings.inParts(of: max(channel.batch, 1)) {
                guard !Task.isCancelled else { break }
                let failure =
                    if let lasting { lasting } else { await tell(part, receiver, channel) }
                guard let failure else {
                    try await recordTold(part, receiver)
                    outcome.told += part.count
                    failuresInRow = 0
                    continue
                }
                if failure.isCancelled { break }
                try await recordFailure(part, receiver, failure, book, at: now)
                outcome.untold += part.count
                if lasting == nil, channel.fault == nil { outcome.failures.append(failure.why) }
                failuresInRow += 1
                if failure.concernsChannel || failuresInRow == Self.mostFailuresInRow {
                    lasting = failure
                }
            }
        }
        await channel.close()
        return outcome
    }

    private func forget(_ obsolete: [AlertDelivery]) async throws {
        guard !obsolete.isEmpty else { return }
        try await database.write { transaction in
            for delivery in obsolete {
                try AlertDeliveries.forgetFailure(
                    delivery.alert, to: delivery.channel, in: transaction)
            }
        }
    }

    private func remove(_ gone: [AlertDelivery]) async throws {
        guard !gone.isEmpty else { return }
        try await database.write { transaction in
            for delivery in gone {
                try AlertDeliveries.remove(delivery.alert, to: delivery.channel, in: transaction)
            }
        }
    }

    private func tell(
        _ tidings: [Tiding], _ receiver: String, _ channel: any AlertChannel
    ) async -> Untold? {
        do throws(Untold) {
            try await channel.tell(tidings, to: receiver)
            return nil
        } catch {
            return error
        }
    }

    private func recordTold(_ tidings: [Tiding], _ receiver: String) async throws {
        try await database.write { transaction in
            for tiding in tidings {
                if tiding.isRecovery {
                    try AlertDeliveries.recordRecovery(
                        tiding.alert.id, to: receiver, at: tiding.at, in: transaction)
                } else {
                    try AlertDeliveries.recordTold(
                        tiding.alert.id, to: receiver, stage: tiding.alert.stage, at: tiding.at,
                        in: transaction)
                }
            }
        }
    }

    private func recordFailure(
        _ tidings: [Tiding], _ receiver: String, _ failure: Untold, _ book: AlertBook,
        at now: Timestamp
    ) async throws {
        try await database.write { transaction in
            for tiding in tidings {
                let count = book.failures(tiding.alert.id, receiver) + 1
                try AlertDeliveries.recordFailure(
                    tiding.alert.id, to: receiver, why: failure.why.summary, at: now,
                    nextAttempt: now.adding(seconds: BackOff.seconds(afterFailures: count)),
                    in: transaction)
            }
        }
    }
}

extension Array {
    /// The same elements in arrays of at most `count`.
    fileprivate func inParts(of count: Int) -> [[Element]] {
        stride(from: 0, to: self.count, by: count).map { start in
            Array(self[start..<Swift.min(start + count, self.count)])
        }
    }
}
