import Database
import Documents
import Issuance
import Merchants
import PKI
import Registry

/// `purser certificate show`.
enum CertificateShowCommand {
    static let csr = Option(flag: "csr", "print its CSR alone, as PEM")

    static let verb = Verb(
        "certificate", "show", summary: "show one credential",
        arguments: [.credential], options: [csr],
        examples: [
            Example("purser certificate show 3f09a1c2d4e5", "show a credential"),
            Example(
                "purser certificate show 3f09a1c2d4e5 --csr > shop.csr",
                "get a CSR again, to upload it at Apple"),
        ],
        needs: .home, run: run)

    static func run(_ invocation: Invocation) async throws {
        let id = try CredentialIdentifier(invocation[.credential])
        let home = try await invocation.openHome(.readOnly)
        let credential = try await home.database.read { try Credentials.find(id, in: $0) }
        if invocation.isSet(csr), !invocation.global.json {
            guard let der = credential.csr else { throw IssuanceError.noRequestKept(id) }
            let pem = PEMDocument.text(label: "CERTIFICATE REQUEST", der)
            return try invocation.write(Array(pem.utf8))
        }
        let ending = try await home.ending(of: credential)
        try invocation.print(CredentialDetailReport(credential, ending))
    }
}

/// A credential with its CSR while that waits for a certificate, and its certificate, in PEM.
private struct CredentialDetailReport: Report {
    let credential: CredentialDocument
    @OrNull var csr: String?
    @OrNull var certificate: String?
    @OrNull var revokedAt: String?
    /// Why it was revoked.
    @OrNull var reason: String?
    @OrNull var destroyedAt: String?

    private enum Keys: String, CodingKey { case csr, certificate, revokedAt, reason, destroyedAt }

    init(_ credential: Credential, _ ending: CredentialEnding) {
        revokedAt = ending.revokedAt
        reason = ending.reason
        destroyedAt = ending.destroyedAt
        self.credential = CredentialDocument(credential)
        csr = credential.csr.map { PEMDocument.text(label: "CERTIFICATE REQUEST", $0) }
        certificate = credential.certificate.map { PEMDocument.text(label: "CERTIFICATE", $0.der) }
    }

    func encode(to encoder: any Encoder) throws {
        try credential.encode(to: encoder)
        var more = encoder.container(keyedBy: Keys.self)
        try more.encode(_csr, forKey: .csr)
        try more.encode(_certificate, forKey: .certificate)
        try more.encode(_revokedAt, forKey: .revokedAt)
        try more.encode(_reason, forKey: .reason)
        try more.encode(_destroyedAt, forKey: .destroyedAt)
    }

    func text(width: Int) -> String {
        credential.fields(and: [
            ("revoked", revokedAt), ("reason", reason), ("destroyed", destroyedAt),
        ]) + "\n" + (certificate ?? csr ?? "")
    }
}
