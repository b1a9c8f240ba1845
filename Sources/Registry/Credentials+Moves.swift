package import Clocks
package import Database
package import Merchants

extension Credentials {
    /// Moves a credential on, if it is still in one of the states `from`.
    ///
    /// - Returns: the state it was in.
    /// - Throws: ``RegistryError/certificateUnknown(_:)``,
    ///   ``RegistryError/stateChanged(_:found:)`` when somebody was faster,
    ///   ``RegistryError/illegalMove(_:from:to:)`` where no edge of the state machine leads,
    ///   ``RegistryError/anotherActive(_:)``, `DatabaseError`.
    @discardableResult
    package static func move(
        _ id: CredentialIdentifier, from: Set<CredentialState>, to target: CredentialState,
        at time: Timestamp, in transaction: borrowing Transaction
    ) throws -> CredentialState {
        let credential = try find(id, in: transaction)
        let found = credential.state
        guard from.contains(found) else { throw RegistryError.stateChanged(id, found: found) }
        guard mayMove(from: found, to: target, kind: credential.kind) else {
            throw RegistryError.illegalMove(id, from: found, to: target)
        }
        let retiringSince = target == .retiring ? time : nil
        try refusingSecondActive(id) { () throws(DatabaseError) in
            _ = try transaction.execute(
                """
                UPDATE credentials SET state = ?, state_changed_at = ?, retiring_since = ?
                WHERE id = ?
                """,
                [.text(target.rawValue), Value(time), Value(retiringSince), .text(id.text)])
        }
        return found
    }

    /// Carries out a plan, move by move, all or none.
    ///
    /// A plan that makes one credential active moves its rival first.
    ///
    /// - Throws: what ``move(_:from:to:at:in:)`` throws; the transaction must not be committed then.
    package static func apply(
        _ moves: [CredentialMove], at time: Timestamp, in transaction: borrowing Transaction
    ) throws {
        for step in moves {
            try move(step.credential, from: [step.from], to: step.to, at: time, in: transaction)
        }
    }

    /// Records when a credential became active, here or at Apple.
    ///
    /// - Throws: ``RegistryError/certificateUnknown(_:)``, `DatabaseError`.
    package static func setActivated(
        _ id: CredentialIdentifier, at time: Timestamp, in transaction: borrowing Transaction
    ) throws {
        let changed = try transaction.execute(
            "UPDATE credentials SET activated_at = ? WHERE id = ?", [Value(time), .text(id.text)])
        guard changed == 1 else { throw RegistryError.certificateUnknown(id) }
    }

    /// Records when an identity was rolled back; nil once it is used again.
    ///
    /// - Throws: ``RegistryError/certificateUnknown(_:)``, `DatabaseError`.
    package static func setRolledBack(
        _ id: CredentialIdentifier, at time: Timestamp?, in transaction: borrowing Transaction
    ) throws {
        let changed = try transaction.execute(
            "UPDATE credentials SET rolled_back_at = ? WHERE id = ?",
            [Value(time), .text(id.text)])
        guard changed == 1 else { throw RegistryError.certificateUnknown(id) }
    }

    /// When things happened to a credential.
    ///
    /// - Throws: ``RegistryError/certificateUnknown(_:)``, `DatabaseError`.
    package static func times(
        of id: CredentialIdentifier, in transaction: borrowing Transaction
    ) throws -> CredentialTimes {
        let found = try transaction.firstRow(
            of: "SELECT \(CredentialQuery.timeColumns) FROM credentials AS c WHERE c.id = ?",
            [.text(id.text)]
        ) { try CredentialQuery.readTimes($0) }
        guard let found else { throw RegistryError.certificateUnknown(id) }
        return found
    }

    /// Turns the schema's word for "at most one active" into ours.
    static func refusingSecondActive(
        _ id: CredentialIdentifier, _ body: () throws(DatabaseError) -> Void
    ) throws {
        do throws(DatabaseError) {
            try body()
        } catch {
            // Ids and keys were checked before, so what is not unique is one of the two indexes.
            guard case .constraint(.unique, _) = error else { throw error }
            throw RegistryError.anotherActive(id)
        }
    }
}
