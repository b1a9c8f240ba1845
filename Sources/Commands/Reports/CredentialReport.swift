import Clocks
import Merchants
import PKI

/// A credential as JSON and as text; its keys are a contract.
struct CredentialReport: Report, ReportRow {
    let id: String
    let merchant: String
    let kind: String
    let state: String
    let custody: String
    /// Who holds the key under custody `provider`.
    @OrNull var provider: String?
    @OrNull var subject: String?
    @OrNull var serialNumber: String?
    @OrNull var notBefore: Timestamp?
    @OrNull var notAfter: Timestamp?
    /// SHA-256 of the certificate, lower-case hex.
    @OrNull var fingerprint: String?
    /// Base64, as in Apple's tokens.
    let publicKeyHash: String
    let keyAlgorithm: String
    @OrNull var teamIdentifier: String?
    @OrNull var issuerVerified: Bool?
    let createdAt: Timestamp
    @OrNull var activatedAt: Timestamp?

    init(_ credential: Credential) {
        id = credential.id.text
        merchant = credential.merchant.text
        kind = credential.kind.rawValue
        state = credential.state.rawValue
        custody = credential.custody.rawValue
        provider = credential.provider
        publicKeyHash = Base64.encode(credential.publicKeyHash)
        keyAlgorithm = credential.keyAlgorithm
        createdAt = credential.createdAt
        activatedAt = credential.activatedAt
        subject = credential.certificate?.subject
        serialNumber = credential.certificate?.serialNumber
        notBefore = credential.certificate?.notBefore
        notAfter = credential.certificate?.notAfter
        fingerprint = credential.certificate?.fingerprint
        teamIdentifier = credential.certificate?.teamIdentifier
        issuerVerified = credential.certificate?.issuerVerified
    }

    static let titles = ["ID", "MERCHANT", "KIND", "STATE", "VALID UNTIL", "HELD BY"]

    var cells: [String] {
        [id, merchant, kind, state, notAfter?.description ?? "–", holder]
    }

    /// Who has the private key; nobody once it is destroyed.
    private var holder: String {
        provider ?? (state == CredentialState.destroyed.rawValue ? "nobody" : "this home")
    }

    /// One line that begins with the id, for scripts that cut.
    var line: String {
        let validity = notAfter.map { ", valid until \($0)" } ?? ""
        return "\(id) \(kind) \(state)\(validity)\n"
    }

    func text(width: Int) -> String { fields(and: []) }

    /// All of them, and `more` after them.
    func fields(and more: [(name: String, value: String?)]) -> String {
        FieldList(
            [
                ("id", id), ("merchant", merchant), ("kind", kind), ("state", state),
                ("custody", custody), ("provider", provider), ("subject", subject),
                ("serial number", serialNumber),
                ("valid from", notBefore?.description), ("valid until", notAfter?.description),
                ("fingerprint", fingerprint), ("public key hash", publicKeyHash),
                ("key", keyAlgorithm), ("team", teamIdentifier),
                ("issuer verified", issuerVerified.map { $0 ? "yes" : "no" }),
                ("created", createdAt.description), ("activated", activatedAt?.description),
            ] + more
        ).rendered
    }
}

/// One credential as an act has left it: a line of text, or the whole as JSON.
struct CredentialActReport: Report {
    let credential: CredentialReport

    init(_ credential: Credential) {
        self.credential = CredentialReport(credential)
    }

    func text(width: Int) -> String { credential.line }

    func encode(to encoder: any Encoder) throws {
        try credential.encode(to: encoder)
    }
}
