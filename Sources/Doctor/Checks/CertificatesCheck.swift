import Database
import Issuance
import Merchants
import PKI
import Registry

/// Every record says of its certificate and its CSR what those say themselves.
///
/// A date that somebody has changed would keep `purser check` quiet. Needs no key.
enum CertificatesCheck {
    static let check = Check("certificates", needs: [.records]) { patient in
        guard case .open(let home) = patient.records else { return [] }
        let records = try await home.database.read { transaction in
            try Credentials.list(in: transaction).map { credential in
                (
                    credential,
                    try Credentials.certificates(of: credential.id, in: transaction)
                )
            }
        }
        var trusts: [RealmName: RealmTrust] = [:]
        for realm in Set(records.map(\.0.realm)) {
            // Roots that are missing are told by another check.
            trusts[realm] = try? await home.trust(of: realm)
        }
        let known = trusts
        return await onOwnThread {
            var findings = Findings("certificates")
            for (credential, certificates) in records {
                findings.judge(csrOf: credential)
                for record in certificates {
                    findings.judge(record, of: credential, known[credential.realm])
                }
            }
            return findings.all
        }
    }
}

extension Findings {
    private static let remedy =
        "somebody has changed the record: compare it with a backup, and find out who did"

    fileprivate mutating func judge(csrOf credential: Credential) {
        guard let der = credential.csr else { return }
        let request = try? CertificateSigningRequest(der: der)
        if request?.publicKey.sha256 != credential.publicKeyHash {
            add(
                .critical, credential.id.text, "the CSR on record is not for its key",
                remedy: Self.remedy)
        }
    }

    fileprivate mutating func judge(
        _ record: CertificateRecord, of credential: Credential, _ trust: RealmTrust?
    ) {
        let id = credential.id.text
        guard let certificate = try? Certificate(der: record.der),
            certificate.sha256 == record.fingerprint
        else {
            return add(
                .critical, id, "a certificate on record is damaged, or another than it says",
                remedy: Self.remedy)
        }
        if certificate.publicKey.sha256 != credential.publicKeyHash {
            add(
                .critical, id, "a certificate on record was not made for its key",
                remedy: Self.remedy)
        }
        if certificate.notAfter != record.notAfter || certificate.notBefore != record.notBefore {
            add(
                .critical, id,
                "a certificate on record is said to be valid until \(record.notAfter), and is until "
                    + "\(certificate.notAfter)", remedy: Self.remedy)
        }
        if certificate.serialNumber != record.serialNumber
            || certificate.subject.rfc4514 != record.subject
        {
            add(
                .critical, id, "a certificate on record has another subject or serial number",
                remedy: Self.remedy)
        }
        if record.issuerVerified, let trust, trust.contradicts(certificate) {
            add(
                .critical, id,
                "a certificate is said to be proven, and its issuer has not made it",
                remedy: Self.remedy)
        }
    }
}

extension RealmTrust {
    /// Whether the issuer is known and did not make `certificate`; the chain that came along with it
    /// is not here, so that nothing follows from an issuer that is unknown.
    fileprivate func contradicts(_ certificate: Certificate) -> Bool {
        let store = TrustStore(roots: roots)
        guard
            case .invalid = store.verify(certificate, intermediates: intermediates, at: nil)
        else { return false }
        return true
    }
}
