import Clocks
import Database
import Ledger
package import Merchants
import Registry
package import Sessions
package import Vault

/// A rehearsal's outcome with what it was tried with.
package struct Rehearsal: Sendable {
    package let credential: Credential
    package let verdict: RehearsalVerdict
    package let domain: DomainName
    package let environment: EnvironmentName
    /// Whether the merchant may use no other environment.
    let isOfOnlyEnvironment: Bool
}

extension OpenHome {
    /// Proves an issued identity with one real session for a registered domain.
    ///
    /// The outcome is recorded, of the certificate and of the domain; nothing that serves is touched.
    ///
    /// `environment` nil means the merchant's only one.
    ///
    /// - Throws: ``IssuanceError/notAnIdentity(_:)``, ``IssuanceError/rehearsalNeedsDomain(_:)``,
    ///   ``SessionError`` for an environment that is missing or not the merchant's,
    ///   ``VaultError``, ``RegistryError``, ``DatabaseError``.
    package func rehearse(
        _ id: CredentialIdentifier, at environment: EnvironmentName?, vault: Vault,
        desk: SessionDesk
    ) async throws -> Rehearsal {
        try await settle(merchant(of: id), vault: vault)
        let rehearsal = try await tryOut(id, at: environment, vault: vault, desk: desk)
        let entry = entry(for: rehearsal)
        let now = clock.now
        try await database.write { transaction in
            try Ledger.append(entry, in: transaction)
            try Self.note(rehearsal, at: now, in: transaction)
            // One gateway alone does not speak for the others; of one that waits there is no more.
            if rehearsal.isOfOnlyEnvironment || rehearsal.credential.state == .issued {
                try Self.observe([rehearsal], at: now, in: transaction)
            }
        }
        return rehearsal
    }

    /// Proves an identity as ``rehearse(_:at:vault:desk:)`` does, and records nothing.
    ///
    /// `leastTried`: of the merchant's domains not the first by name, but the one that was not tried
    /// for longest.
    ///
    /// - Throws: as there.
    package func tryOut(
        _ id: CredentialIdentifier, at environment: EnvironmentName?, leastTried: Bool = false,
        vault: Vault, desk: SessionDesk
    ) async throws -> Rehearsal {
        let stage = try await stage(for: id, environment: environment, leastTried: leastTried)
        let identity = try ActiveIdentity(opening: stage.credential, in: vault)
        let verdict = await desk.rehearse(
            identity, as: stage.merchant, domain: stage.domain, at: stage.environment)
        return Rehearsal(
            credential: stage.credential, verdict: verdict, domain: stage.domain,
            environment: stage.environment.name,
            isOfOnlyEnvironment: stage.merchant.environments.count == 1)
    }

    func entry(for rehearsal: Rehearsal, _ more: [String: String] = [:]) -> LedgerEntry {
        entry(
            .certificateRehearsed, rehearsal.credential.merchant.text,
            [
                "credential": rehearsal.credential.id.text, "outcome": rehearsal.verdict.name,
                "environment": rehearsal.environment.text, "domain": rehearsal.domain.text,
            ].merging(more) { $1 })
    }

    private struct Stage: Sendable {
        let credential: Credential
        let merchant: Merchant
        let domain: DomainName
        let environment: GatewayEnvironment
    }

    private func stage(
        for id: CredentialIdentifier, environment: EnvironmentName?, leastTried: Bool
    ) async throws -> Stage {
        try await database.read { transaction in
            let credential = try Credentials.find(id, in: transaction)
            guard credential.kind == .merchantIdentity else {
                throw IssuanceError.notAnIdentity(id)
            }
            guard credential.custody == .local else { throw IssuanceError.noKeyHere(id) }
            guard credential.certificate != nil else { throw IssuanceError.noCertificate(id) }
            switch credential.state {
            case .issued, .active, .retiring: break
            case .requested: throw IssuanceError.noCertificate(id)
            case .retired, .abandoned, .revoked, .destroyed:
                throw MerchantsError.notActivatable(id, credential.state)
            }
            let merchant = try MerchantRecords.findInService(credential.merchant, in: transaction)
            guard merchant.displayName != nil else {
                throw SessionError.noDisplayName(merchant.identifier)
            }
            var domains = try Domains.standings(of: merchant.identifier, in: transaction)
            if leastTried {
                // One that was never tried comes first; of several the first by name.
                domains =
                    domains.min { one, other in
                        (one.triedAt?.seconds ?? .min) < (other.triedAt?.seconds ?? .min)
                    }.map { [$0] } ?? []
            }
            guard let domain = domains.first?.domain else {
                throw IssuanceError.rehearsalNeedsDomain(merchant.identifier)
            }
            // A name that means nothing is told as such, and not as one that is off limits.
            if let environment { _ = try Environments.find(environment, in: transaction) }
            let name = try Self.choose(environment, of: merchant)
            return Stage(
                credential: credential, merchant: merchant, domain: domain,
                environment: try Environments.find(name, in: transaction))
        }
    }

    private static func choose(
        _ wanted: EnvironmentName?, of merchant: Merchant
    ) throws(SessionError) -> EnvironmentName {
        if let wanted {
            guard merchant.environments.contains(wanted) else {
                throw .environmentNotAllowed(wanted, merchant.environments)
            }
            return wanted
        }
        guard let only = merchant.environments.first, merchant.environments.count == 1 else {
            throw .environmentRequired(merchant.environments)
        }
        return only
    }
}

extension RehearsalVerdict {
    /// The word for it in the ledger and in JSON.
    package var name: String {
        switch self {
        case .proven: "proven"
        case .incomplete: "incomplete"
        case .failed: "failed"
        case .inconclusive: "inconclusive"
        }
    }

    /// Why it is not `proven`.
    package var reason: SessionError? {
        switch self {
        case .proven: nil
        case .incomplete(let reason), .failed(let reason), .inconclusive(let reason): reason
        }
    }
}
