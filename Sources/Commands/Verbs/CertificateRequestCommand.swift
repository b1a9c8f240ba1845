import Issuance
import Merchants
import PKI

/// `purser certificate request`.
enum CertificateRequestCommand {
    static let kind = Argument("KIND", "what the certificate is for", kind: .kind)
    static let out = Option("out", "FILE", "write the CSR here instead of printing it", kind: .file)

    static let verb = Verb(
        "certificate", "request",
        summary: "make a key and print its certificate request (CSR) as PEM",
        discussion: [
            "The key is durable in the home before the CSR leaves the process. Each request makes a new "
                + "key; several may wait for their certificates at once."
        ],
        arguments: [.merchant, kind], options: [out],
        examples: [
            Example(
                "purser certificate request merchant.com.example.shop merchant-identity --out shop.csr",
                "make the CSR to upload at Apple for a merchant identity")
        ],
        needs: .key, run: run)

    static func run(_ invocation: Invocation) async throws {
        let merchant = try MerchantIdentifier(invocation[.merchant])
        let kind = invocation.kind(kind)
        let out = try invocation.path(out).map { try OutputFile($0) }
        let unlocked = try await invocation.unlockHome(wayBack: out != nil)
        let made = try await unlocked.home.request(kind, for: merchant, vault: unlocked.vault)
        do {
            try tell(made, in: out, invocation)
        } catch {
            // Given again, the command would make a second key.
            invocation.warn(
                "the key is kept all the same, and its CSR with it",
                hint: "print the CSR with: purser certificate show \(made.credential.id)")
            throw error
        }
    }

    private static func tell(
        _ made: RequestedCertificate, in out: OutputFile?, _ invocation: Invocation
    ) throws {
        if let out {
            try out.write(Array(made.csr.pem.utf8))
            try invocation.print(CredentialActReport(made.credential))
        } else if invocation.global.json {
            try invocation.print(RequestReport(made))
        } else {
            // Standard output is the CSR alone.
            invocation.context.tell("note", "this is the CSR of credential \(made.credential.id)")
            try invocation.write(Array(made.csr.pem.utf8))
        }
    }
}

/// A credential with its CSR, as JSON.
struct RequestReport: Report {
    let credential: CredentialReport
    /// PEM.
    let csr: String

    private enum Keys: String, CodingKey { case csr }

    init(_ made: RequestedCertificate) {
        credential = CredentialReport(made.credential)
        csr = made.csr.pem
    }

    func encode(to encoder: any Encoder) throws {
        try credential.encode(to: encoder)
        var more = encoder.container(keyedBy: Keys.self)
        try more.encode(csr, forKey: .csr)
    }

    func text(width: Int) -> String { csr }
}
