import Clocks
import Database
import Files
import Ledger
package import Merchants
import Registry
package import Sessions
package import Vault

/// What became of a rollback.
package enum RollbackOutcome: Sendable, Hashable {
    /// The old identity is in use again.
    case done(Credential)
    /// Somebody was faster: another service, or a person who has chosen otherwise. Nothing was
    /// changed.
    case overtaken
}

extension OpenHome {
    /// Puts the identity before the one in use back to use, because Apple refuses the one in use and
    /// accepts the one before; the loser goes back to `issued`, and waits for a person.
    ///
    /// Any number of services may want this at once: it happens only while the loser is still active
    /// and the old identity still retiring, in one transaction, with one entry in the ledger. Nobody
    /// rehearses anything: the sessions that the old identity just got have proved it.
    ///
    /// `failures` in a row have led to it, of which `reason` was the last. The side files are written
    /// afterwards where nobody holds the keys, and otherwise by the next act on the merchant;
    /// `unsettled` is told why they could not be.
    ///
    /// - Throws: ``RegistryError``, ``DatabaseError``; nothing is changed then.
    package func rollBack(
        _ rollback: Rollback, because reason: SessionError, failures: Int, vault: Vault,
        unsettled: @Sendable (any Error) -> Void = { _ in }
    ) async throws -> RollbackOutcome {
        let outcome = try await commit(rollback, because: reason, failures: failures)
        guard case .done = outcome else { return outcome }
        do {
            // A rotation of the vault key may take minutes, for which sessions do not wait.
            _ = try await vault.holdingIfFree(.shared) {
                try await writeSideFiles(of: rollback.merchant, vault: vault)
            }
        } catch {
            unsettled(error)
        }
        return outcome
    }

    private func commit(
        _ rollback: Rollback, because reason: SessionError, failures: Int
    ) async throws -> RollbackOutcome {
        let now = clock.now
        let entry = entry(
            .certificateRolledBack, rollback.merchant.text,
            [
                "credential": rollback.loser.text, "successor": rollback.old.text,
                "reason": "\(reason.code): \(reason.summary)", "failures": "\(failures)",
            ])
        return try await database.write { transaction in
            let all = try Credentials.list(
                merchant: rollback.merchant, kind: .merchantIdentity, in: transaction)
            guard let old = all.first(where: { $0.id == rollback.old }), old.state == .retiring,
                all.contains(where: { $0.id == rollback.loser && $0.state == .active })
            else { return .overtaken }
            let moves = try planPromotion(of: old, among: all)
            try Credentials.apply(moves, at: now, in: transaction)
            try Credentials.setActivated(old.id, at: now, in: transaction)
            try Credentials.setRolledBack(old.id, at: nil, in: transaction)
            try Credentials.setRolledBack(rollback.loser, at: now, in: transaction)
            for move in moves {
                try Credentials.setSideFileDue(true, of: move.credential, in: transaction)
            }
            try Ledger.append(entry, in: transaction)
            return .done(try Credentials.find(old.id, in: transaction))
        }
    }
}
