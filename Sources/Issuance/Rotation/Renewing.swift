import Clocks
import Database
import Files
import Ledger
package import Merchants
import Registry
package import Sessions
package import Vault

/// One merchant's kind with the open steps of its rotation.
package struct OpenRotation: Sendable, Hashable {
    package let merchant: MerchantIdentifier
    package let kind: CredentialKind
    /// Whose identities these are; a processing kind counts as ours.
    package let custody: Custody
    package let plan: RotationPlan

    init(_ facts: KindFacts) {
        merchant = facts.merchant
        kind = facts.kind
        custody = facts.custody
        plan = RotationPlan(facts)
    }
}

/// What came of a step that was taken.
package struct RenewalOutcome: Sendable {
    package let merchant: MerchantIdentifier
    package let kind: CredentialKind
    package let step: RotationStep
    /// The credential that the step has made or moved.
    package let credential: Credential?
    /// Why it was not taken; what is unfinished at Apple among them.
    package let failure: (any Error)?
}

extension OpenHome {
    /// The rotations of all merchants that have an open step, from the database alone.
    ///
    /// - Throws: ``DatabaseError``, ``RegistryError``.
    package func openRotations(_ scope: PolicyScope) async throws -> [OpenRotation] {
        let now = clock.now
        return try await database.read { transaction in
            let survey = try PolicySurvey(
                windows: scope.windows, periods: scope.periods, at: now, in: transaction)
            var open: [OpenRotation] = []
            try survey.forEachKind(in: transaction) { facts in
                let rotation = OpenRotation(facts)
                if !rotation.plan.steps.isEmpty { open.append(rotation) }
            }
            return open
        }
    }

    /// Where the rotation of one merchant's kind stands; of an identity that of ours, or of a
    /// provider's where there are no others or `custody` says so.
    ///
    /// - Throws: ``RegistryError/merchantUnknown(_:)``, ``RegistryError/merchantRetired(_:)``,
    ///   ``DatabaseError``.
    package func rotation(
        of merchant: MerchantIdentifier, _ kind: CredentialKind, _ scope: PolicyScope,
        custody: Custody? = nil
    ) async throws -> OpenRotation {
        let now = clock.now
        return try await database.read { transaction in
            let record = try MerchantRecords.findInService(merchant, in: transaction)
            let survey = try PolicySurvey(
                windows: scope.windows, periods: scope.periods, at: now, in: transaction)
            var found: OpenRotation?
            try survey.forEachKind(of: merchant, in: transaction) { facts in
                guard facts.kind == kind, found == nil || facts.custody == custody else { return }
                found = OpenRotation(facts)
            }
            return found
                ?? OpenRotation(
                    KindFacts(
                        merchant: merchant, kind: kind, team: record.team, hasDomains: false,
                        credentials: [], windows: scope.windows.windows(for: merchant, kind),
                        periods: scope.periods, now: now))
        }
    }

    /// Takes every step that needs no person: new keys for what is due, rehearsal and promotion of
    /// what is issued, retirement of what has been superseded for long enough.
    ///
    /// One at a time: whoever comes meanwhile, by hand or by the schedule, waits and then finds
    /// nothing left to do. A step that fails stops no other merchant's; killed at any moment, the
    /// next run goes on where this one was. `done` is told of each step as it is taken.
    ///
    /// - Throws: ``FileError/locked(_:)`` when another has not finished within `patience`,
    ///   ``DatabaseError``, ``RegistryError``, `CancellationError`.
    package func renew(
        _ scope: PolicyScope, vault: Vault, desk: SessionDesk,
        patience: Duration = .seconds(600), done: (RenewalOutcome) -> Void
    ) async throws {
        let lock = try await renewLock(within: patience)
        defer { withExtendedLifetime(lock) {} }
        var hasFailed = false
        for rotation in try await openRotations(scope) {
            var taken: Set<RotationStep> = []
            var current = rotation
            while let step = current.plan.steps.first(where: {
                $0.performer == .purser && !taken.contains($0)
            }) {
                try Task.checkCancellation()
                taken.insert(step)
                let outcome = await take(step, of: current, scope, vault: vault, desk: desk)
                done(outcome)
                guard outcome.failure == nil else {
                    hasFailed = true
                    continue
                }
                // The same step is not taken twice, so this ends.
                current = try await self.rotation(
                    of: current.merchant, current.kind, scope, custody: current.custody)
            }
        }
        let seen = Observation(.renew, outcome: hasFailed ? "failed" : "done", at: clock.now)
        try await database.write { try Observations.record(seen, in: $0) }
    }

    private func take(
        _ step: RotationStep, of rotation: OpenRotation, _ scope: PolicyScope, vault: Vault,
        desk: SessionDesk
    ) async -> RenewalOutcome {
        do {
            let credential: Credential? =
                switch step {
                case .request:
                    try await request(rotation.kind, for: rotation.merchant, vault: vault)
                        .credential
                case .promote(let id):
                    try await activate(
                        id, vault: vault,
                        proof: .rehearsal(
                            desk, at: rehearsalEnvironment(of: rotation.merchant),
                            acceptingIncomplete: false))
                case .retire(let id):
                    try await retire(id, vault: vault, periods: scope.periods).credential
                default: nil
                }
            return RenewalOutcome(
                merchant: rotation.merchant, kind: rotation.kind, step: step,
                credential: credential, failure: nil)
        } catch {
            return RenewalOutcome(
                merchant: rotation.merchant, kind: rotation.kind, step: step, credential: nil,
                failure: error)
        }
    }

    /// The first that the merchant may use: whatever it proves there holds everywhere, because the
    /// same certificates serve every gateway of a realm.
    private func rehearsalEnvironment(
        of merchant: MerchantIdentifier
    ) async throws -> EnvironmentName? {
        try await database.read {
            try MerchantRecords.find(merchant, in: $0).environments.first
        }
    }

    private func renewLock(within patience: Duration) async throws -> FileLock {
        let lock = try await FileLock.wait(for: layout.renewLock, .exclusive, within: patience)
        guard let lock else { throw FileError.locked(layout.renewLock) }
        return lock
    }
}

extension OpenHome {
    /// Begins a rotation where none is under way: a new key with its CSR, unless a payment provider
    /// makes them.
    ///
    /// - Returns: where it stands now, and whether this has begun it.
    /// - Throws: as ``rotation(of:_:_:)`` and ``request(_:for:vault:)``.
    package func rotate(
        _ merchant: MerchantIdentifier, _ kind: CredentialKind, _ scope: PolicyScope,
        vault: Vault
    ) async throws -> (rotation: OpenRotation, began: Bool) {
        // With the lock: of two that come at once, one begins and the other is told of it.
        let lock = try await renewLock(within: .seconds(600))
        defer { withExtendedLifetime(lock) {} }
        let rotation = try await rotation(of: merchant, kind, scope)
        let isUnderWay: Bool =
            switch rotation.plan.stage {
            case .requested, .issued, .settling, .heldBack: true
            case .vacant, .resting, .due: false
            }
        guard !isUnderWay, case .request = rotation.plan.beginning else {
            return (rotation, false)
        }
        _ = try await request(kind, for: merchant, vault: vault)
        return (try await self.rotation(of: merchant, kind, scope), true)
    }
}
