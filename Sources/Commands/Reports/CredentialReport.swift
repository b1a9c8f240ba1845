import Clocks
import Documents
import Merchants

extension CredentialDocument: Report, ReportRow {
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
    let credential: CredentialDocument

    init(_ credential: Credential) {
        self.credential = CredentialDocument(credential)
    }

    func text(width: Int) -> String { credential.line }

    func encode(to encoder: any Encoder) throws {
        try credential.encode(to: encoder)
    }
}
