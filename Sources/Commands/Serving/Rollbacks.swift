import Issuance
import Ledger
import Merchants
import Sessions
import Vault

/// Carries out the rollbacks that become due while a service runs.
///
/// The desk counts and tells; here one attempt is made for each time it tells. Whether this service
/// or another comes first is decided in the database. One that cannot write there reports it, and
/// goes on giving every caller the old identity's session.
struct Rollbacks: Sendable {
    /// How long after an attempt that failed the desk begins to count again.
    private static let patience = Duration.seconds(10)

    private struct Due: Sendable {
        let rollback: Rollback
        let reason: SessionError
    }

    private let home: OpenHome
    private let vault: Vault
    private let journal: Journal
    private let due: AsyncStream<Due>
    private let line: AsyncStream<Due>.Continuation

    init(_ unlocked: UnlockedHome, journal: Journal) {
        home = unlocked.home.acting(as: .currentService())
        vault = unlocked.vault
        self.journal = journal
        (due, line) = AsyncStream.makeStream()
    }

    /// What the desk calls: it only notes what is due.
    func note(_ rollback: Rollback, _ reason: SessionError) {
        line.yield(Due(rollback: rollback, reason: reason))
    }

    /// Carries out what is noted until its task is cancelled; `desk` follows by `keeper` at once.
    func carryOut(for desk: SessionDesk, _ keeper: RosterKeeper) async {
        await withDiscardingTaskGroup { group in
            for await due in due {
                group.addTask { await carryOut(due, for: desk, keeper) }
            }
            group.cancelAll()
        }
    }

    private func carryOut(_ due: Due, for desk: SessionDesk, _ keeper: RosterKeeper) async {
        let rollback = due.rollback
        do {
            let outcome = try await home.rollBack(
                rollback, because: due.reason, failures: RollbackCount.limit, vault: vault
            ) { journal.error($0) }
            switch outcome {
            case .done:
                journal.note(
                    "rolled-back",
                    "\(rollback.merchant): \(rollback.old) is in use again, because Apple refused "
                        + "\(rollback.loser) \(RollbackCount.limit) times in a row and accepted "
                        + "\(rollback.old); the last refusal: \(due.reason.summary)")
            case .overtaken:
                journal.note(
                    "rollback-overtaken",
                    "\(rollback.merchant): somebody else has replaced \(rollback.loser) already")
            }
            await keeper.lookNow(into: desk) { journal.error($0) }
        } catch {
            journal.error(
                ServeError.rollbackFailed(
                    rollback.merchant.text, old: rollback.old.text, why: "\(error)"))
            try? await Task.sleep(for: Self.patience)
        }
        // A person may activate the loser once more, or the database be writable again.
        desk.recount(rollback)
    }
}
