import Database
import Ledger
import Merchants
import PKI
import Registry

/// What new trust says of the certificates that are here already.
struct IssuerVerdicts: Sendable {
    /// All fingerprints that were looked at.
    var judged: Set<String> = []
    var verified: [UnverifiedCertificate] = []
    /// Their issuer is known, and did not issue them.
    var forged: [UnverifiedCertificate] = []

    mutating func add(_ certificates: [UnverifiedCertificate], by trust: RealmTrust) {
        for certificate in certificates {
            judged.insert(certificate.fingerprint)
            guard let parsed = try? Certificate(der: certificate.der) else { continue }
            switch trust.verdict(on: parsed) {
            case .verified: verified.append(certificate)
            case .issuerUnknown: break
            case .invalid: forged.append(certificate)
            }
        }
    }
}

extension OpenHome {
    /// Verifies every certificate of a realm that is unproven yet, before the write lock is taken:
    /// ten thousand chains take seconds.
    func judge(_ realm: RealmName, by trust: RealmTrust) async throws -> IssuerVerdicts {
        let open = try await database.read { try Credentials.unverified(in: realm, $0) }
        var verdicts = IssuerVerdicts()
        verdicts.add(open, by: trust)
        return verdicts
    }

    /// Records the verdicts, and those on certificates that have come meanwhile.
    ///
    /// What was proven stays so: trust is only added.
    func record(
        _ judged: IssuerVerdicts, _ realm: RealmName, by trust: RealmTrust,
        in transaction: borrowing Transaction
    ) throws -> (verified: [CredentialIdentifier], forged: [CredentialIdentifier]) {
        var verdicts = judged
        verdicts.add(
            try Credentials.unverified(in: realm, except: judged.judged, transaction), by: trust)
        for certificate in verdicts.verified {
            try Credentials.setIssuerVerified(
                true, certificate: certificate.fingerprint, in: transaction)
            try Ledger.append(
                entry(
                    .certificateIssuerVerified, certificate.merchant.text,
                    [
                        "credential": certificate.credential.text,
                        "certificate": certificate.fingerprint,
                    ]), in: transaction)
        }
        return (Self.ids(verdicts.verified), Self.ids(verdicts.forged))
    }

    private static func ids(_ certificates: [UnverifiedCertificate]) -> [CredentialIdentifier] {
        var seen: Set<CredentialIdentifier> = []
        return certificates.map(\.credential).filter { seen.insert($0).inserted }
    }
}
