import Clocks
import Database
import Files
import Ledger
package import Merchants
import Registry
package import Vault

/// What an act has left of a credential's use.
package struct EndedCredential: Sendable {
    package let credential: Credential
    /// False when it was so already: nothing was changed.
    package let isChanged: Bool
    /// The identity that was put back to use in its place.
    package let successor: Credential?
    /// Other credentials that have the same key.
    package let sharing: [Credential]
    /// The merchant's other credentials of this kind, of either custody.
    package let others: [Credential]
    /// False when the merchant is retired: nothing takes the place of what has ended.
    package let isInService: Bool
}

/// The ends of a credential's use: retired, abandoned, revoked, destroyed.
///
/// A merchant need not be in service: what is left of a retired one must still be revoked and
/// destroyed.
extension OpenHome {
    /// Takes a superseded credential out of use; its key is kept.
    ///
    /// A processing key waits for its quiet period (``RotationPeriods/quietDays``).
    ///
    /// - Throws: ``MerchantsError``, ``RegistryError``, ``VaultError``, ``FileError``,
    ///   ``DatabaseError``.
    package func retire(
        _ id: CredentialIdentifier, vault: Vault, periods: RotationPeriods = RotationPeriods()
    ) async throws -> EndedCredential {
        let now = clock.now
        return try await end(id, .certificateRetired, vault: vault) {
            candidate, others throws(MerchantsError) in
            try planRetiring(of: candidate, at: now, periods: periods, among: others)
        }
    }

    /// Gives up a credential that was never in use; its key is kept.
    ///
    /// - Throws: as ``retire(_:vault:)``.
    package func abandon(_ id: CredentialIdentifier, vault: Vault) async throws -> EndedCredential {
        try await end(id, .certificateAbandoned, vault: vault) {
            candidate, _ throws(MerchantsError) in try planAbandoning(of: candidate)
        }
    }

    /// Records that a certificate is revoked, or is about to be; the retiring identity takes over
    /// from the one in use.
    ///
    /// Apple learns nothing of it: revoking there is a person's act.
    ///
    /// - Throws: as ``retire(_:vault:)``.
    package func revoke(
        _ id: CredentialIdentifier, reason: RevocationReason, vault: Vault
    ) async throws -> EndedCredential {
        let now = clock.now
        return try await end(
            id, .certificateRevoked, detail: ["reason": reason.rawValue], vault: vault
        ) { candidate, others throws(MerchantsError) in
            try planRevocation(of: candidate, at: now, among: others)
        }
    }

    /// Wipes the key of a credential that is out of use; its record stays.
    ///
    /// The record comes first, the file after it: whoever dies in between leaves a key that the
    /// record says is to go, and the next command wipes it. The other way round a key would be
    /// missing without a word. A processing key that was in use is kept for a while after its
    /// retirement (``RotationPeriods/retentionDays``).
    ///
    /// - Throws: as ``retire(_:vault:)``; ``FileError/locked(_:)`` while another command has a key
    ///   on its way.
    package func destroy(
        _ id: CredentialIdentifier, vault: Vault, periods: RotationPeriods = RotationPeriods()
    ) async throws -> EndedCredential {
        try await settle(merchant(of: id), vault: vault)
        let moves = try await commitDestruction(id, vault: vault, periods: periods)
        return try await finish(id, moves, vault: vault)
    }

    /// Alone with the keys' folders, but only until the record is written.
    ///
    /// An import of a certificate for this key writes the key's file anew. None may be under way that
    /// has seen the key alive; those that come later are told that it is destroyed.
    private func commitDestruction(
        _ id: CredentialIdentifier, vault: Vault, periods: RotationPeriods
    ) async throws -> [CredentialMove] {
        let now = clock.now
        let credential = try await database.read { try Credentials.find(id, in: $0) }
        if try planDestruction(of: credential).isEmpty {
            try await destroyAgain(credential, vault: vault)
            return []
        }
        return try await vault.holding(.exclusive) {
            try await commit(id, .certificateDestroyed) {
                candidate, _ throws(MerchantsError) in
                try planDestruction(of: candidate, at: now, periods: periods)
            }
        }
    }

    /// Marks the key's file of a destroyed credential for wiping, where somebody has put it back
    /// from a copy of the home.
    private func destroyAgain(_ credential: Credential, vault: Vault) async throws {
        let slot = KeySlot(credential)
        guard vault.holdsKey(in: slot) else { return }
        let entry = entry(
            .certificateDestroyed, credential.merchant.text,
            [
                "credential": credential.id.text, "kind": credential.kind.rawValue,
                "reason": "its key's file was put back after it had been destroyed",
            ])
        try await database.write { transaction in
            try Credentials.setSideFileDue(true, of: credential.id, in: transaction)
            try Ledger.append(entry, in: transaction)
        }
    }

    private func end(
        _ id: CredentialIdentifier, _ act: Act, detail: [String: String] = [:], vault: Vault,
        plan: @Sendable (Credential, [Credential]) throws(MerchantsError) -> [CredentialMove]
    ) async throws -> EndedCredential {
        // Also when there is nothing else to do: the command before may have died half done.
        try await settle(merchant(of: id), vault: vault)
        let moves = try await commit(id, act, detail: detail, plan: plan)
        return try await finish(id, moves, vault: vault)
    }

    /// Brings the files to what is recorded, and tells what came of it.
    private func finish(
        _ id: CredentialIdentifier, _ moves: [CredentialMove], vault: Vault
    ) async throws -> EndedCredential {
        try await writeSideFiles(of: merchant(of: id), vault: vault)
        let successor = moves.first { $0.credential != id }?.credential
        return try await database.read { transaction in
            let credential = try Credentials.find(id, in: transaction)
            return EndedCredential(
                credential: credential, isChanged: !moves.isEmpty,
                successor: try successor.map { try Credentials.find($0, in: transaction) },
                sharing: try Credentials.find(
                    publicKeyHash: credential.publicKeyHash, in: transaction
                ).filter { $0.id != id },
                others: try Credentials.list(
                    merchant: credential.merchant, kind: credential.kind, in: transaction
                ).filter { $0.id != id },
                isInService: try MerchantRecords.find(credential.merchant, in: transaction)
                    .retiredAt == nil)
        }
    }

    /// Plans under the write lock, and writes moves and entries in one transaction.
    private func commit(
        _ id: CredentialIdentifier, _ act: Act, detail: [String: String] = [:],
        plan: @Sendable (Credential, [Credential]) throws(MerchantsError) -> [CredentialMove]
    ) async throws -> [CredentialMove] {
        let now = clock.now
        return try await database.write { transaction in
            let candidate = try Credentials.find(id, in: transaction)
            let others = try Credentials.list(
                merchant: candidate.merchant, kind: candidate.kind, in: transaction)
            let moves = try plan(candidate, others)
            guard !moves.isEmpty else { return moves }
            try Credentials.apply(moves, at: now, in: transaction)
            for move in moves {
                try Credentials.setSideFileDue(true, of: move.credential, in: transaction)
            }
            var told = ["credential": id.text, "kind": candidate.kind.rawValue]
            told["serial"] = candidate.certificate?.serialNumber
            told.merge(detail) { $1 }
            try Ledger.append(entry(act, candidate.merchant.text, told), in: transaction)
            for move in moves where move.credential != id {
                try Credentials.setActivated(move.credential, at: now, in: transaction)
                try Ledger.append(
                    entry(
                        .certificateActivated, candidate.merchant.text,
                        [
                            "credential": move.credential.text, "kind": candidate.kind.rawValue,
                            "predecessor": id.text,
                        ]), in: transaction)
            }
            return moves
        }
    }
}
