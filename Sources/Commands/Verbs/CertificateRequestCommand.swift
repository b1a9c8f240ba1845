import Database
import Documents
import Issuance
import Merchants
import PKI

/// `purser certificate request`.
enum CertificateRequestCommand {
    static let kind = Argument("KIND", "what the certificate is for", kind: .kind)
    static let out = Option("out", "FILE", "write the CSR here instead of printing it", kind: .file)
    static let csr = Option(
        "csr", "FILE",
        "record this CSR of a payment provider's (- reads standard input) instead of making a key",
        kind: .file, acceptsStandardInput: true)
    static let provider = Option(
        "provider", "NAME", "the payment provider that made the CSR and holds its key")

    static let verb = Verb(
        "certificate", "request",
        summary: "make a key and print its certificate request (CSR) as PEM",
        discussion: [
            "The key is durable in the home before the CSR leaves the process. Each request makes a new "
                + "key; several may wait for their certificates at once.",
            "A CSR whose key a payment provider holds is recorded with --csr and --provider, before "
                + "anybody visits Apple's portal: what the portal would refuse is told, and the "
                + "certificate that comes back is recognised. It is printed as the PEM to upload. "
                + "No master key is needed for that.",
        ],
        arguments: [.merchant, kind], options: [out, csr, provider],
        examples: [
            Example(
                "purser certificate request merchant.com.example.shop merchant-identity --out shop.csr",
                "make the CSR to upload at Apple for a merchant identity"),
            Example(
                "purser certificate request merchant.com.example.shop payment-processing "
                    + "--csr provider.csr --provider 'Example Payments' --out upload.csr",
                "record a payment provider's CSR and write it as Apple takes it"),
        ],
        needs: .key, isAct: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        let merchant = try MerchantIdentifier(invocation[.merchant])
        let kind = invocation.kind(kind)
        let out = try invocation.path(out).map { try OutputFile($0, outside: invocation.layout) }
        if invocation.isSet(csr) || invocation.isSet(provider) {
            return try await record(kind, for: merchant, out, invocation)
        }
        let unlocked = try await invocation.unlockHome(wayBack: out != nil)
        let made = try await unlocked.home.request(kind, for: merchant, vault: unlocked.vault)
        do {
            try tell(made.credential, made.csr, in: out, invocation)
        } catch {
            // Given again, the command would make a second key.
            invocation.warn(
                "the key is kept all the same, and its CSR with it",
                hint: "print the CSR with: purser certificate show \(made.credential.id)")
            throw error
        }
    }

    private static func record(
        _ kind: CredentialKind, for merchant: MerchantIdentifier, _ out: OutputFile?,
        _ invocation: Invocation
    ) async throws {
        guard let name = invocation[provider] else {
            throw CommandLineError.missingFlag(provider.spelling, usage: recording)
        }
        let limit = ForeignReader.sizeLimit
        guard let bytes = try await invocation.secretContents(of: csr, limit: limit) else {
            throw CommandLineError.missingFlag(csr.spelling, usage: recording)
        }
        let provider = try ProviderName(name)
        let file = try await onOwnThread { try RequestFile(bytes) }
        let home = try await invocation.openHome(.readWrite, wayBack: out != nil)
        let recorded = try await home.recordRequest(file, kind, for: merchant, provider: provider)
        for warning in recorded.warnings { invocation.warn(warning.text, hint: warning.hint) }
        if !recorded.isNew {
            invocation.context.tell("note", "\(recorded.credential.id) was recorded before")
        }
        try tell(recorded.credential, file.request, in: out, invocation)
    }

    private static let recording =
        "purser certificate request MERCHANT KIND --csr FILE --provider NAME"

    private static func tell(
        _ credential: Credential, _ csr: CertificateSigningRequest, in out: OutputFile?,
        _ invocation: Invocation
    ) throws {
        if let out {
            try out.write(Array(csr.pem.utf8))
            try invocation.print(CredentialActReport(credential))
        } else if invocation.global.json {
            try invocation.print(RequestDocument(credential, csr: csr.pem))
        } else {
            // Standard output is the CSR alone.
            invocation.context.tell("note", "this is the CSR of credential \(credential.id)")
            try invocation.write(Array(csr.pem.utf8))
        }
        guard credential.state == .requested, !invocation.global.json else { return }
        invocation.context.tell(
            "hint",
            "upload it in Apple's portal, then: purser certificate import "
                + "\(credential.merchant) CERTIFICATE")
    }
}

extension RequestDocument: Report {
    func text(width: Int) -> String { csr }
}
