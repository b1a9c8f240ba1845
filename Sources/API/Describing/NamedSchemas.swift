import Ledger
import Merchants

/// The shapes that stand under `components/schemas`, beside the documents that they describe.
///
/// A test holds each against a document as it is encoded.
enum NamedSchemas {
    static let all: [(name: String, schema: Schema)] = [
        ("Merchant", .object(merchant)),
        (
            "MerchantDetail",
            .object(
                merchant + [
                    Schema.Property("domains", .array(.string())),
                    Schema.Property("certificates", .array(.named("Certificate"))),
                ])
        ),
        ("Certificate", .object(certificate)),
        (
            "CertificateRequest",
            .object(certificate + [Schema.Property("csr", .string(), "PEM.")])
        ),
        (
            "Domain",
            .object([
                Schema.Property("domain", .string()), Schema.Property("merchant", .string()),
                Schema.Property("associationFile", .orNull(.named("AssociationFile"))),
            ])
        ),
        ("AssociationFile", .object(associationFile)),
        ("Rehearsal", .object(rehearsal)),
        ("LedgerEntry", .object(ledgerEntry)),
        (
            "Readiness",
            .object([
                Schema.Property("status", .choice(["ready", "not ready"])),
                Schema.Property("merchants", .integer(0...Int64.max), "Merchants in service."),
                Schema.Property(
                    "unreadable", .integer(0...Int64.max),
                    "Those of them that get no session; the log says why."),
                Schema.Property("reasons", .array(.string())),
            ])
        ),
        ("Problem", .object(problem)),
    ]

    private static let merchant = [
        Schema.Property("id", .string()), Schema.Property("realm", .string()),
        Schema.Property("environments", .array(.string())),
        Schema.Property("name", .orNull(.string())),
        Schema.Property("displayName", .orNull(.string())),
        Schema.Property("team", .orNull(.string())),
        Schema.Property("owners", .array(.string())),
        Schema.Property("createdAt", .time), Schema.Property("retiredAt", .orNull(.time)),
    ]

    private static let certificate = [
        Schema.Property("id", .credential), Schema.Property("merchant", .string()),
        Schema.Property("kind", .choice(CredentialKind.allCases.map(\.rawValue))),
        Schema.Property("state", .choice(CredentialState.allCases.map(\.rawValue))),
        Schema.Property("custody", .choice(Custody.allCases.map(\.rawValue))),
        Schema.Property("provider", .orNull(.string())),
        Schema.Property("subject", .orNull(.string())),
        Schema.Property("serialNumber", .orNull(.string())),
        Schema.Property("notBefore", .orNull(.time)), Schema.Property("notAfter", .orNull(.time)),
        Schema.Property(
            "fingerprint", .orNull(.string()), "SHA-256 of the certificate, lower-case hex."),
        Schema.Property("publicKeyHash", .string(), "Base64, as in Apple's payment tokens."),
        Schema.Property("keyAlgorithm", .string()),
        Schema.Property("teamIdentifier", .orNull(.string())),
        Schema.Property("issuerVerified", .orNull(.boolean)),
        Schema.Property("createdAt", .time), Schema.Property("activatedAt", .orNull(.time)),
    ]

    private static let associationFile = [
        Schema.Property("form", .choice(AssociationFacts.Form.allCases.map(\.rawValue))),
        Schema.Property("domain", .orNull(.string())), Schema.Property("team", .orNull(.string())),
        Schema.Property("provider", .orNull(.string())), Schema.Property("version", .integer()),
        Schema.Property("createdAt", .orNull(.time)),
        Schema.Property("sha256", .string(), "SHA-256 of its bytes, lower-case hex."),
        Schema.Property("verified", .orNull(.boolean), "Whether its signature is Apple's."),
    ]

    private static let rehearsal = [
        Schema.Property("id", .credential), Schema.Property("merchant", .string()),
        Schema.Property("environment", .string()), Schema.Property("domain", .string()),
        Schema.Property(
            "outcome", .choice(["proven", "incomplete"]),
            "Incomplete: the certificate is accepted, something else is unfinished at Apple."),
        Schema.Property("code", .orNull(.string())),
        Schema.Property("reason", .orNull(.string())),
        Schema.Property("remedy", .orNull(.string())),
    ]

    private static let ledgerEntry = [
        Schema.Property("sequence", .integer(1...Int64.max)), Schema.Property("at", .time),
        Schema.Property("actor", .string()), Schema.Property("act", .string()),
        Schema.Property("subject", .string()), Schema.Property("detail", .texts),
        Schema.Property("hash", .string(Schema.Words(pattern: "^[0-9a-f]{64}$"))),
    ]

    /// RFC 9457, and `code`, `remedy`, `requestId`.
    private static let problem = [
        Schema.Property("type", .string()), Schema.Property("title", .string()),
        Schema.Property("status", .integer(400...599)),
        Schema.Property("detail", .string(), "What happened, to which thing."),
        Schema.Property("code", .string(), "Stable and dotted: what scripts match on."),
        Schema.Property("remedy", .string(), "What to do next."),
        Schema.Property("requestId", .string(), "What the service's log has it by."),
    ]
}
