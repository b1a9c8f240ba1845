import Database
import Files
import Issuance
import Merchants
import Registry
import Secrets

/// `purser certificate import`.
enum CertificateImportCommand {
    static let file = Argument(
        "FILE", "the certificate, DER or PEM", kind: .file, acceptsStandardInput: true)
    static let key = Option("key", "FILE", "its private key, PEM, made elsewhere", kind: .file)
    static let kind = Option("kind", "KIND", "refuse a certificate of any other kind", kind: .kind)

    static let verb = Verb(
        "certificate", "import", summary: "take in the certificate that Apple made",
        discussion: [
            "The certificate itself tells its kind, its merchant and its key; a wrong one is refused with "
                + "a reason and leaves nothing behind."
        ],
        arguments: [.merchant, file], options: [key, kind],
        examples: [
            Example(
                "purser certificate import merchant.com.example.shop merchant_id.cer",
                "take in the file downloaded from Apple's portal")
        ],
        needs: .key, run: run)

    static func run(_ invocation: Invocation) async throws {
        let merchant = try MerchantIdentifier(invocation[.merchant])
        let file = try await invocation.secretContents(of: file, limit: 1 << 20)
        let keyFile = try await invocation.secretContents(of: key, limit: 1 << 20)
        let unlocked = try await invocation.unlockHome()
        let imported = try await unlocked.home.importCertificate(
            file, keyFile: keyFile, kind: invocation.kind(kind), for: merchant,
            vault: unlocked.vault)
        for warning in imported.warnings { invocation.warn(warning.text, hint: warning.hint) }
        if !imported.isNew { invocation.context.tell("note", "it was imported before") }
        let environments = try await unlocked.home.database.read {
            try MerchantRecords.find(merchant, in: $0).environments
        }
        try invocation.print(ImportReport(imported, environments: environments))
    }
}

/// What was imported: an array, because a file may hold several.
private struct ImportReport: Report {
    let credentials: [CredentialReport]
    let next: String?

    init(_ imported: ImportedCertificate, environments: [EnvironmentName]) {
        let credential = imported.credential
        credentials = [CredentialReport(credential)]
        next =
            switch (credential.state, credential.kind) {
            case (.issued, .merchantIdentity):
                "purser certificate activate \(credential.id)" + Self.choice(of: environments)
            case (.issued, _):
                "activate it in Apple's portal, then: "
                    + "purser certificate activated \(credential.id)"
            default: nil
            }
    }

    /// Where a merchant may use several, one must be named; the others stand in a shell's comment.
    private static func choice(of environments: [EnvironmentName]) -> String {
        guard let first = environments.first, environments.count > 1 else { return "" }
        let others = environments.dropFirst().map(\.text).joined(separator: ", ")
        return " --environment \(first) # or \(others)"
    }

    func encode(to encoder: any Encoder) throws {
        try credentials.encode(to: encoder)
    }

    func text(width: Int) -> String {
        credentials.map(\.line).joined() + (next.map { "next: \($0)\n" } ?? "")
    }
}
