package import Clocks
import Database
import Ledger
package import Merchants
import Registry
package import Sessions
package import Vault

/// How an identity proves itself before it is used.
package enum Proof: Sendable {
    /// A rehearsal that must end in a session; with `acceptingIncomplete`, Apple's acceptance of the
    /// certificate is enough.
    case rehearsal(SessionDesk, at: EnvironmentName?, acceptingIncomplete: Bool)
    /// None: a person says so.
    case waived
}

extension OpenHome {
    /// Puts an identity to use, after it has proved itself; what was active becomes `retiring`.
    ///
    /// Activating what is active already changes nothing. What is accepted although something is
    /// unfinished at Apple is told to `incomplete`.
    ///
    /// - Throws: ``IssuanceError/rehearsalFailed(_:)``, ``IssuanceError/rehearsalIncomplete(_:)``,
    ///   ``IssuanceError/rehearsalInconclusive(_:)``, ``MerchantsError`` for a credential that
    ///   cannot become active, ``RegistryError/stateChanged(_:found:)`` if somebody was faster, and
    ///   what ``rehearse(_:at:vault:desk:)`` throws.
    package func activate(
        _ id: CredentialIdentifier, vault: Vault, proof: Proof,
        incomplete: @Sendable (SessionError) -> Void = { _ in }
    ) async throws -> Credential {
        // Also when there is nothing else to do: the command before may have died half done.
        try await settle(merchant(of: id), vault: vault)
        let (candidate, others) = try await withRivals(id)
        guard try !planPromotion(of: candidate, among: others).isEmpty else { return candidate }
        var detail = ["credential": id.text, "kind": candidate.kind.rawValue]
        switch proof {
        case .waived:
            // A key that cannot be opened must not be selected, proved or not.
            _ = try ActiveIdentity(opening: candidate, in: vault)
            detail["rehearsal"] = "waived"
        case .rehearsal(let desk, let environment, let acceptingIncomplete):
            let rehearsal = try await rehearse(id, at: environment, vault: vault, desk: desk)
            switch rehearsal.verdict {
            case .proven: break
            case .incomplete(let reason) where acceptingIncomplete: incomplete(reason)
            case .incomplete(let reason): throw IssuanceError.rehearsalIncomplete(reason)
            case .failed(let reason): throw IssuanceError.rehearsalFailed(reason)
            case .inconclusive(let reason): throw IssuanceError.rehearsalInconclusive(reason)
            }
            detail["rehearsal"] = rehearsal.verdict.name
            detail["environment"] = rehearsal.environment.text
        }
        return try await carryOut(
            .certificateActivated, id, at: clock.now, detail: detail, vault: vault
        ) { candidate, others throws(MerchantsError) in
            try planPromotion(of: candidate, among: others)
        }
    }

    /// Records that a certificate was activated at Apple, or put to use by its provider; nil means
    /// just now.
    ///
    /// With `wholeDay`, `given` is the beginning of the day that was told. A `retiring` one is put
    /// back by a time that was told alone: a script that is run again must not undo what came after.
    ///
    /// - Throws: ``IssuanceError/activationInFuture(_:)``, ``MerchantsError`` for a credential that
    ///   is activated here, ``RegistryError``, ``DatabaseError``.
    package func recordActivation(
        _ id: CredentialIdentifier, at given: Timestamp?, wholeDay: Bool = false, vault: Vault?
    ) async throws -> Credential {
        var time = given ?? clock.now
        let isTimeGiven = given != nil
        guard time <= clock.now.adding(seconds: 300) else {
            throw IssuanceError.activationInFuture(time)
        }
        if let vault { try await settle(merchant(of: id), vault: vault) }
        let (candidate, others) = try await withRivals(id)
        if wholeDay { time = activationMoment(onDay: time, of: candidate, among: others) }
        if !isTimeGiven, candidate.state == .retiring {
            throw MerchantsError.notActivatable(id, .retiring)
        }
        // A key that was made here cannot have been activated before.
        if candidate.csr != nil, candidate.custody == .local, time < candidate.createdAt {
            throw IssuanceError.activationBeforeKey(id, made: candidate.createdAt)
        }
        if isTimeGiven, let known = candidate.activatedAt, candidate.state == .active,
            known != time
        {
            throw IssuanceError.activationKnown(id, at: known)
        }
        var detail = [
            "credential": id.text, "kind": candidate.kind.rawValue, "activatedAt": time.description,
        ]
        if candidate.state == .retiring { detail["before"] = CredentialState.retiring.rawValue }
        let activation = time
        return try await carryOut(
            .certificateActivationRecorded, id, at: activation, detail: detail, vault: vault
        ) { candidate, others throws(MerchantsError) in
            try planRecordedActivation(of: candidate, at: activation, among: others)
        }
    }

    /// The active one, activated later, that has made a credential `retiring`; nil for any other.
    ///
    /// - Throws: ``DatabaseError``.
    package func successor(of credential: Credential) async throws -> Credential? {
        guard credential.state == .retiring else { return nil }
        return try await database.read { transaction in
            try Credentials.list(
                merchant: credential.merchant, kind: credential.kind, in: transaction
            ).first { $0.isActiveRival(of: credential) }
        }
    }

    private func withRivals(
        _ id: CredentialIdentifier
    ) async throws -> (Credential, [Credential]) {
        try await database.read { transaction in
            let candidate = try Credentials.find(id, in: transaction)
            return (
                candidate,
                try Credentials.list(
                    merchant: candidate.merchant, kind: candidate.kind, in: transaction)
            )
        }
    }

    /// Plans anew under the write lock, and writes moves, times and entries in one transaction.
    private func carryOut(
        _ act: Act, _ id: CredentialIdentifier, at activation: Timestamp,
        detail: [String: String], vault: Vault?,
        plan: @Sendable (Credential, [Credential]) throws(MerchantsError) -> [CredentialMove]
    ) async throws -> Credential {
        let now = clock.now
        let credential = try await database.write { transaction in
            let candidate = try Credentials.find(id, in: transaction)
            _ = try MerchantRecords.findInService(candidate.merchant, in: transaction)
            let others = try Credentials.list(
                merchant: candidate.merchant, kind: candidate.kind, in: transaction)
            let moves = try plan(candidate, others)
            guard !moves.isEmpty else { return candidate }
            try Credentials.apply(moves, at: now, in: transaction)
            try Credentials.setActivated(id, at: activation, in: transaction)
            try Credentials.setRolledBack(id, at: nil, in: transaction)
            for move in moves {
                try Credentials.setSideFileDue(true, of: move.credential, in: transaction)
                guard move.credential != id else { continue }
                if move.isRollback {
                    try Credentials.setRolledBack(move.credential, at: now, in: transaction)
                }
                let consequence: Act =
                    switch move.to {
                    case .retiring: .certificateRetiring
                    case .retired: .certificateRetired
                    default: .certificateRolledBack
                    }
                try Ledger.append(
                    entry(
                        consequence, candidate.merchant.text,
                        ["credential": move.credential.text, "successor": id.text]),
                    in: transaction)
            }
            var told = detail
            if moves.last?.to == .retiring { told["superseded"] = "yes" }
            try Ledger.append(entry(act, candidate.merchant.text, told), in: transaction)
            return try Credentials.find(id, in: transaction)
        }
        if let vault { try await writeSideFiles(of: credential.merchant, vault: vault) }
        return credential
    }
}
