import Database
import Issuance
import Merchants
import PKI
import Registry

/// `purser certificate show`.
enum CertificateShowCommand {
    static let verb = Verb(
        "certificate", "show", summary: "show one credential",
        arguments: [.credential],
        examples: [Example("purser certificate show 3f09a1c2d4e5", "show a credential")],
        needs: .home, run: run)

    static func run(_ invocation: Invocation) async throws {
        let id = try CredentialIdentifier(invocation[.credential])
        let home = try await invocation.openHome(.readOnly)
        let credential = try await home.database.read { try Credentials.find(id, in: $0) }
        try invocation.print(CredentialDetailReport(credential))
    }
}

/// A credential with its CSR while that waits for a certificate, and its certificate, in PEM.
private struct CredentialDetailReport: Report {
    let credential: CredentialReport
    @OrNull var csr: String?
    @OrNull var certificate: String?

    private enum Keys: String, CodingKey { case csr, certificate }

    init(_ credential: Credential) {
        self.credential = CredentialReport(credential)
        csr = credential.csr.map { PEMDocument.text(label: "CERTIFICATE REQUEST", $0) }
        certificate = credential.certificate.map { PEMDocument.text(label: "CERTIFICATE", $0.der) }
    }

    func encode(to encoder: any Encoder) throws {
        try credential.encode(to: encoder)
        var more = encoder.container(keyedBy: Keys.self)
        try more.encode(_csr, forKey: .csr)
        try more.encode(_certificate, forKey: .certificate)
    }

    func text(width: Int) -> String {
        credential.text(width: width) + "\n" + (certificate ?? csr ?? "")
    }
}
