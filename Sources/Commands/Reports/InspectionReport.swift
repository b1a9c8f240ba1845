import Clocks
import Documents
import Issuance
import Merchants
import PKI
import Problems

/// What `inspect` found, as JSON and as text; its keys are a contract.
struct InspectionReport: Report {
    let description: String
    let certificates: [CertificateEntry]
    let keys: [KeyEntry]
    let requests: [KeyEntry]
    let publicKeys: [KeyEntry]
    let protections: [ProtectionEntry]
    let refusedBy: [RefusalEntry]
    let problems: [ProblemEntry]
    let warnings: [String]
    /// What to do now, each a line.
    let next: [String]
    /// Where it is one of Apple's.
    @OrNull var associationFile: AssociationDocument?

    struct CertificateEntry: Encodable, Sendable {
        let place: String
        @OrNull var name: String?
        let subject: String
        let issuer: String
        /// The fingerprint of the issuer's certificate, where it is in the same file.
        @OrNull var issuerFingerprint: String?
        @OrNull var merchant: String?
        /// Whether Apple's merchant hash is that of the merchant; null where it is absent.
        @OrNull var merchantHashFits: Bool?
        @OrNull var kind: String?
        let keyAlgorithm: String
        let publicKeyHash: String
        let serialNumber: String
        let notBefore: Timestamp
        let notAfter: Timestamp
        let fingerprint: String
        let signatureAlgorithm: String
        let hasKey: Bool
        let isCA: Bool
        /// Ids of credentials in the home that have its key.
        let credentials: [String]
        /// The payment provider that holds the key, as far as the home knows.
        @OrNull var provider: String?
        @OrNull var fault: Fault?
    }

    struct Fault: Encodable, Sendable {
        let code: String
        let summary: String
        let remedy: String

        init(_ error: some Explained) {
            (code, summary, remedy) = (error.code, error.summary, error.remedy)
        }
    }

    struct KeyEntry: Encodable, Sendable {
        let place: String
        @OrNull var name: String?
        let keyAlgorithm: String
        let publicKeyHash: String
        @OrNull var protection: String?
        @OrNull var subject: String?
        /// Of a request: whether it is signed by its own key.
        @OrNull var signatureFits: Bool?
        /// Fingerprints of the certificates in the same file that were made for it.
        let certificates: [String]
        let credentials: [String]
        @OrNull var provider: String?
    }

    struct ProtectionEntry: Encodable, Sendable {
        let description: String
        let iterations: Int
        let needsLegacyProvider: Bool
    }

    struct RefusalEntry: Encodable, Sendable {
        let software: String
        let reasons: [String]
    }

    struct ProblemEntry: Encodable, Sendable {
        let place: String
        let code: String
        let summary: String
        let remedy: String
    }

    /// Puts it together; `held` are the credentials that the home has for a key.
    init(_ inspection: Inspection, held: [PublicKey: [Credential]]) {
        let contents = inspection.contents
        let ids = { (key: PublicKey) in (held[key] ?? []).map(\.id.text) }
        let provider = { (key: PublicKey) in (held[key] ?? []).lazy.compactMap(\.provider).first }
        let fitting = { (key: PublicKey) in
            contents.certificates.map(\.value).filter { $0.publicKey == key }.map(\.sha256)
        }
        description = contents.description
        certificates = inspection.findings.map { CertificateEntry($0, ids, provider) }
        keys = contents.keys.map { item in
            let key = item.value.publicKey
            return KeyEntry(
                place: item.place, name: item.name, keyAlgorithm: key.algorithm.description,
                publicKeyHash: Base64.encode(key.sha256),
                protection: item.protection?.description, subject: nil, signatureFits: nil,
                certificates: fitting(key), credentials: ids(key), provider: provider(key))
        }
        requests = contents.requests.map { item in
            let key = item.value.publicKey
            return KeyEntry(
                place: item.place, name: item.name, keyAlgorithm: key.algorithm.description,
                publicKeyHash: Base64.encode(key.sha256), protection: nil,
                subject: item.value.subject.rfc4514, signatureFits: item.value.verifySignature(),
                certificates: fitting(key), credentials: ids(key), provider: provider(key))
        }
        publicKeys = contents.publicKeys.map { item in
            KeyEntry(
                place: item.place, name: item.name,
                keyAlgorithm: item.value.algorithm.description,
                publicKeyHash: Base64.encode(item.value.sha256), protection: nil, subject: nil,
                signatureFits: nil, certificates: fitting(item.value),
                credentials: ids(item.value), provider: provider(item.value))
        }
        protections = contents.protections.map {
            ProtectionEntry(
                description: $0.description, iterations: $0.iterations,
                needsLegacyProvider: $0.needsLegacy)
        }
        refusedBy = ForeignSoftware.allCases.compactMap { software in
            let reasons = software.refusals(
                of: contents.protections, isBundle: contents.holdsBundle)
            return reasons.isEmpty ? nil : .init(software: software.rawValue, reasons: reasons)
        }
        problems = contents.problems.map {
            ProblemEntry(
                place: $0.place, code: $0.error.code, summary: $0.error.summary,
                remedy: $0.error.remedy)
        }
        warnings = inspection.warnings
        next = NextSteps(inspection, held: held).lines
    }

    private enum CodingKeys: String, CodingKey {
        case description, certificates, keys, requests, publicKeys, protections, refusedBy
        case problems, warnings, next, associationFile
    }
}

extension InspectionReport.CertificateEntry {
    fileprivate init(
        _ finding: Inspection.Finding, _ ids: (PublicKey) -> [String],
        _ holder: (PublicKey) -> String?
    ) {
        let certificate = finding.item.value
        place = finding.item.place
        name = finding.item.name
        subject = certificate.subject.rfc4514
        issuer = certificate.issuer.rfc4514
        issuerFingerprint = finding.issuer?.sha256
        merchant = finding.merchant
        merchantHashFits = finding.hashFits
        kind = finding.kind?.rawValue
        keyAlgorithm = certificate.publicKey.algorithm.description
        publicKeyHash = Base64.encode(certificate.publicKey.sha256)
        serialNumber = certificate.serialNumber
        notBefore = certificate.notBefore
        notAfter = certificate.notAfter
        fingerprint = certificate.sha256
        signatureAlgorithm = certificate.signatureAlgorithm
        hasKey = finding.hasKey
        isCA = certificate.isCA
        credentials = ids(certificate.publicKey)
        provider = holder(certificate.publicKey)
        fault = finding.fault.map(InspectionReport.Fault.init)
    }
}
