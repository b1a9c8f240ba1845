import Documents
import Issuance
import Merchants
import PKI
import Registry
import Secrets
import WebServer

/// Keys and certificates; export, revocation and destruction are not here, but at the command line
/// alone, and neither does a private key ever travel in a request.
enum CertificateCalls {
    static let all = [show, request, importing]

    private static let show = Call(
        method: "GET", path: "/v1/certificates/{id}", summary: "One credential.",
        rule: .role(.auditor),
        answers: [AnswerShape(200, "The credential.", .named("Certificate"))]
    ) { context in
        let credential = try await context.coveredCredential()
        return try .document(CredentialDocument(credential), about: credential.merchant)
    }

    private static let request = Call(
        method: "POST", path: "/v1/merchants/{id}/certificate-requests",
        summary: "Make a key and its CSR, or record the CSR of a payment provider's key.",
        rule: .role(.operator),
        body: BodyShape([
            Schema.Property("kind", .choice(CredentialKind.allCases.map(\.rawValue))),
            .optional(
                "csr", .string(Schema.Words(length: 1...16_384)),
                "A provider's CSR, PEM; it needs provider."),
            .optional(
                "provider", .string(Schema.Words(length: 1...64)),
                "The payment provider that holds the key of csr."),
        ]),
        answers: [
            AnswerShape(
                201, "The credential, with the CSR to upload.", .named("CertificateRequest"))
        ]
    ) { context in
        let id = try context.merchant()
        guard let kind = CredentialKind(rawValue: try context.body.required("kind")) else {
            throw RequestError.missingKey("kind")
        }
        if context.body["csr"] != nil || context.body["provider"] != nil {
            return try await record(kind, for: id, context)
        }
        let made = try await context.act { home, vault in
            try await home.request(kind, for: id, vault: vault)
        }
        return try .document(
            RequestDocument(made.credential, csr: made.csr.pem), status: 201, about: id)
    }

    private static func record(
        _ kind: CredentialKind, for id: MerchantIdentifier, _ context: CallContext
    ) async throws -> Answer {
        let provider = try ProviderName(try context.body.required("provider"))
        let text = try context.body.required("csr")
        let (credential, pem) = try await context.act { home, _ in
            let file = try RequestFile(SecretBytes(copying: text.utf8))
            let recorded = try await home.recordRequest(file, kind, for: id, provider: provider)
            return (recorded.credential, file.request.pem)
        }
        return try .document(RequestDocument(credential, csr: pem), status: 201, about: id)
    }

    private static let importing = Call(
        method: "POST", path: "/v1/merchants/{id}/certificates",
        summary: "Take in a certificate for a key of this home, or for a provider's.",
        rule: .role(.operator),
        body: BodyShape([
            Schema.Property(
                "certificate", .string(Schema.Words(length: 1...1_048_576)),
                "The certificate and, if wanted, its intermediates: PEM, or DER or PKCS#7 as base64."
            ),
            .optional(
                "kind", .choice(CredentialKind.allCases.map(\.rawValue)),
                "Refuse every other kind."),
            .optional(
                "provider", .string(Schema.Words(length: 1...64)),
                "The payment provider that holds the key."),
        ]),
        answers: [
            AnswerShape(200, "It was imported before.", .array(.named("Certificate"))),
            AnswerShape(201, "What was imported.", .array(.named("Certificate"))),
        ]
    ) { context in
        let id = try context.merchant()
        var order = ImportOrder(
            file: SecretBytes(copying: try context.body.required("certificate").utf8))
        order.kind = context.body["kind"].flatMap(CredentialKind.init(rawValue:))
        order.provider = try context.body["provider"].map { try ProviderName($0) }
        let wanted = order
        let imported = try await context.act { home, vault in
            let file = try ImportFile(wanted)
            // It has come over a wire, and perhaps through logs on the way.
            guard !file.holdsKey else { throw RequestError.privateKeyInRequest }
            return try await home.importCertificates(file, for: id, vault: vault)
        }
        return try .document(
            imported.map { CredentialDocument($0.credential) },
            status: imported.contains(where: \.isNew) ? 201 : 200, about: id)
    }
}
