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
}

extension OpenHome {
    /// Proves an issued identity with one real session for a registered domain.
    ///
    /// The outcome is recorded; nothing that serves is touched.
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
        let stage = try await stage(for: id, environment: environment)
        let identity = try ActiveIdentity(opening: stage.credential, in: vault)
        let verdict = await desk.rehearse(
            identity, as: stage.merchant, domain: stage.domain, at: stage.environment)
        let entry = entry(
            .certificateRehearsed, stage.merchant.identifier.text,
            [
                "credential": id.text, "outcome": verdict.name,
                "environment": stage.environment.name.text, "domain": stage.domain.text,
            ])
        try await database.write { try Ledger.append(entry, in: $0) }
        return Rehearsal(
            credential: stage.credential, verdict: verdict, domain: stage.domain,
            environment: stage.environment.name)
    }

    private struct Stage: Sendable {
        let credential: Credential
        let merchant: Merchant
        let domain: DomainName
        let environment: GatewayEnvironment
    }

    private func stage(
        for id: CredentialIdentifier, environment: EnvironmentName?
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
            let domains = try Domains.list(of: merchant.identifier, in: transaction)
            guard let domain = domains.first else {
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
