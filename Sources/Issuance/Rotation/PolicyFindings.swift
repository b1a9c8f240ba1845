import Clocks
import Database
import Ledger
package import Merchants
import PKI
import Registry
import Vault

/// What the policies say of a home.
extension OpenHome {
    /// Hands every finding to `body`, merchant by merchant and kind by kind, then those of the
    /// domains and of the home: from the database alone, in constant memory.
    ///
    /// - Throws: ``DatabaseError``, ``RegistryError``, what `body` throws.
    package func forEachFinding(
        _ scope: PolicyScope, _ body: @Sendable (Finding) throws -> Void
    ) async throws {
        let now = clock.now
        try await database.read { transaction in
            let survey = try PolicySurvey(
                windows: scope.windows, periods: scope.periods, at: now, in: transaction)
            try survey.forEachKind(in: transaction) { facts in
                for finding in KindPolicies.findings(facts) { try body(finding) }
            }
            try Domains.forEachRefused(in: transaction) { facts in
                if let finding = facts.finding(at: now) { try body(finding) }
            }
            try Sites.forEach(in: transaction) { site in
                for finding in site.findings(at: now) { try body(finding) }
            }
            for finding in try HomeFindings.all(
                expectsWatch: scope.expectsWatch, at: now, in: transaction)
            {
                try body(finding)
            }
        }
    }

    /// Everything that can be said of one merchant's kinds: beside the record the certificates and
    /// the keys' files are looked at; no key is opened.
    ///
    /// - Throws: ``RegistryError/merchantUnknown(_:)``, ``RegistryError/merchantRetired(_:)``,
    ///   ``DatabaseError``, ``FileError``.
    package func facts(
        of merchant: MerchantIdentifier, _ scope: PolicyScope
    ) async throws -> [KindFacts] {
        let now = clock.now
        let slots = Set(try layout.slots(of: merchant))
        let (record, kinds, credentials) = try await database.read { transaction in
            let record = try MerchantRecords.findInService(merchant, in: transaction)
            let survey = try PolicySurvey(
                windows: scope.windows, periods: scope.periods, at: now, in: transaction)
            var kinds: [KindFacts] = []
            try survey.forEachKind(of: merchant, in: transaction) { kinds.append($0) }
            return (record, kinds, try Credentials.list(merchant: merchant, in: transaction))
        }
        let trust = try? await trust(of: record.realm)
        let byID = Dictionary(credentials.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        return kinds.map { kind in
            var kind = kind
            for index in kind.credentials.indices {
                guard let credential = byID[kind.credentials[index].id] else { continue }
                kind.credentials[index].troubles += Self.troubles(
                    of: credential, slots: slots, trust: trust, at: now)
            }
            return kind
        }
    }

    /// All findings of one merchant, its domains included; files are looked at, too.
    ///
    /// - Throws: as ``facts(of:_:)``.
    package func findings(
        of merchant: MerchantIdentifier, _ scope: PolicyScope
    ) async throws -> [Finding] {
        let now = clock.now
        let kinds = try await facts(of: merchant, scope)
        let domains = try await database.read { transaction in
            var findings: [Finding] = []
            try Domains.forEachRefused(of: merchant, in: transaction) { facts in
                if let finding = facts.finding(at: now) { findings.append(finding) }
            }
            try Sites.forEach(of: merchant, in: transaction) { site in
                findings += site.findings(at: now)
            }
            return findings
        }
        return kinds.flatMap(KindPolicies.findings) + domains
    }

    private static func troubles(
        of credential: Credential, slots: Set<KeySlot>, trust: RealmTrust?, at now: Timestamp
    ) -> [CredentialTrouble] {
        switch credential.state {
        case .issued, .active, .retiring: break
        case .requested, .retired, .abandoned, .revoked, .destroyed: return []
        }
        var troubles: [CredentialTrouble] = []
        if credential.custody == .local, !slots.contains(KeySlot(credential)) {
            troubles.append(.keyMissing)
        }
        if let why = wrong(credential, trust: trust, at: now) {
            troubles.append(.wrongCertificate(why))
        }
        return troubles
    }

    /// What the import would refuse today: the record may have been changed by other means.
    private static func wrong(
        _ credential: Credential, trust: RealmTrust?, at now: Timestamp
    ) -> String? {
        guard let record = credential.certificate else { return nil }
        guard let certificate = try? Certificate(der: record.der) else {
            return "it is no certificate"
        }
        guard certificate.sha256 == record.fingerprint,
            certificate.publicKey.sha256 == credential.publicKeyHash
        else { return "it does not belong to this key" }
        let facts = CertificateFacts(
            certificate, others: [], trust: trust ?? RealmTrust(roots: [], intermediates: []))
        let examination = CertificateExamination(
            merchant: credential.merchant,
            merchantHash: Hexadecimal.uppercase(
                SHA256.hash(Array(credential.merchant.text.utf8))), now: now)
        do throws(CertificateFault) {
            let kind = try examination.kind(of: facts)
            return kind == credential.kind ? nil : "it is for \(kind.rawValue)"
        } catch {
            return error.summary
        }
    }
}
