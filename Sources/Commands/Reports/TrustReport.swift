import Clocks
import Documents
import Issuance
import Merchants
import PKI
import Registry

/// A certificate that is trusted, or helps to verify, as JSON and as text; its keys are a contract.
struct TrustReport: Report, ReportRow {
    let realm: String
    let name: String
    let subject: String
    /// SHA-256 of the certificate, lower-case hex.
    let fingerprint: String
    /// Null where its file is missing or holds another certificate.
    @OrNull var notAfter: Timestamp?
    /// `pinned`, `verified` (an intermediate under a pinned root) or `operator`.
    let standing: String

    init(_ trusted: TrustedCertificate) {
        realm = trusted.record.realm.text
        subject = trusted.record.subject
        name = trusted.certificate?.subject.commonName ?? subject
        fingerprint = trusted.record.fingerprint
        notAfter = trusted.certificate?.notAfter
        standing = trusted.standing.rawValue
    }

    /// One that belongs to realm `apple`.
    init(apple certificate: Certificate) {
        realm = RealmName.apple.text
        subject = certificate.subject.rfc4514
        name = certificate.subject.commonName ?? subject
        fingerprint = certificate.sha256
        notAfter = certificate.notAfter
        let isPinned = AppleRoot(fingerprint: certificate.sha256) != nil
        standing = (isPinned ? TrustedCertificate.Standing.pinned : .verified).rawValue
    }

    static let titles = ["REALM", "NAME", "STANDING", "VALID UNTIL", "FINGERPRINT"]

    var cells: [String] {
        [realm, name, standing, notAfter?.description ?? "file missing", fingerprint]
    }

    func text(width: Int) -> String { "\(name) \(fingerprint)\n" }
}

/// What `trust add` and `trust fetch` have done.
struct TrustChangeReport: Report {
    let certificates: [ActReport<TrustReport>]
    /// Ids of credentials whose issuer is proven now.
    let verified: [String]
    /// Ids of credentials with a certificate that its authority has not issued.
    let forged: [String]

    init(_ change: TrustChange) {
        certificates = change.certificates.map { certificate in
            let report = TrustReport(apple: certificate)
            return ActReport(
                report, "\(report.name) (\(report.standing))",
                change.added.contains(certificate.sha256) ? .added : .present)
        }
        verified = change.verified.map(\.text)
        forged = change.forged.map(\.text)
    }

    func text(width: Int) -> String {
        certificates.map { $0.text(width: width) }.joined()
            + verified.map { "\($0): its issuer is proven now\n" }.joined()
    }

    /// Tells of certificates that were not issued by whom they name.
    func warn(_ invocation: Invocation) {
        for id in forged {
            invocation.warn(
                "\(id) has a certificate that the authority it names has not issued",
                hint: "find out where it came from: purser certificate show \(id)")
        }
    }
}
