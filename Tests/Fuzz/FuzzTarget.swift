import Clocks
import Issuance
import Merchants
import PKI
import Secrets
import Settings

@testable import API
@testable import Vault

/// One parser of foreign bytes, called with anything at all; it may refuse, and nothing else.
enum FuzzTarget: String, CaseIterable {
    /// Everything that `inspect` and `certificate import` read.
    case foreign
    /// PKCS#12 as the vault opens its own.
    case bundle
    case certificate
    case request
    case key
    case pem
    case shape
    /// Plain DER, walked down to its leaves.
    case der
    case base64
    /// A detached signature, as Apple makes over merchant sessions.
    case message
    /// A domain association file.
    case association
    /// What an OCSP responder answers.
    case revocation
    /// A backup as `restore` unpacks it.
    case archive
    /// master.json
    case master
    /// A recovery key as it was typed.
    case recovery
    /// purser.json5
    case settings
    /// The body of a request for a session.
    case body

    func run(_ bytes: [UInt8]) {
        switch self {
        case .foreign:
            // Derivations are OpenSSL's and slow; what is looked for is in the parsers.
            let contents = ForeignReader(
                passwords: [SecretBytes(copying: "secret".utf8)], iterationLimit: 20_000
            ).survey(SecretBytes(copying: bytes))
            precondition(contents.iterationsSpent <= 20_000)
            precondition(!contents.isEmpty || !contents.problems.isEmpty)
            for problem in contents.problems {
                precondition(!problem.error.summary.contains("\n"))
            }
        case .bundle:
            _ = try? PKCS12.open(
                bytes, password: SecretBytes(copying: "secret".utf8), iterationLimit: 10_000)
        case .certificate: _ = try? Certificate(der: bytes).subject.rfc4514
        case .request: _ = try? CertificateSigningRequest(der: bytes).verifySignature()
        case .key: _ = try? PrivateKey(der: SecretBytes(copying: bytes))
        case .pem: _ = try? PEMDocument(bytes)
        case .shape: _ = ForeignShape.recognise(bytes).description
        case .der: walk(bytes[...], depth: 0)
        case .base64:
            let text = String(decoding: bytes, as: UTF8.self)
            if let decoded = Base64.decode(text) { precondition(Base64.encode(decoded) == text) }
        case .message: _ = try? CMS.verifyDetached(bytes, content: bytes)
        case .association:
            if let file = try? AssociationFile(bytes) { precondition(file.bytes == bytes) }
            if case .failure(let fault)? = AssociationFile.recognise(bytes) {
                precondition(!fault.summary.contains("\n"))
            }
        case .revocation: _ = try? RevocationStage.query?.answer(in: bytes, at: RevocationStage.now)
        case .archive: try? unpack(bytes)
        case .master: _ = try? MasterFile(decoding: bytes)
        case .recovery: _ = try? RecoveryKey(reading: SecretBytes(copying: bytes))
        case .settings:
            let survey = SettingsSurvey(
                contents: bytes, filePath: "purser.json5", environment: [:], flags: [:])
            precondition(!survey.lines.isEmpty)
            if let error = survey.error { precondition(!error.summary.contains("\n")) }
        case .body: _ = try? FlatJSON.members(of: bytes, allowed: ["domain", "merchant"])
        }
    }

    private func unpack(_ bytes: [UInt8]) throws {
        var offset = 0
        let tar = TarReader { count in
            let end = min(bytes.count, offset + count)
            defer { offset = end }
            return Array(bytes[offset..<end])
        }
        while let entry = try tar.next() {
            precondition(entry.size >= 0)
            if let member = BackupMember(entry.path) {
                precondition(member.path == entry.path && !member.path.contains(".."))
            }
        }
    }

    private func walk(_ bytes: ArraySlice<UInt8>, depth: Int) {
        var reader = DERReader(bytes)
        while depth < 64, let value = try? reader.next() {
            if value.tag == 0x06 { _ = DERReader.objectIdentifier(value.content) }
            if value.tag & 0x20 != 0 { walk(value.content, depth: depth + 1) }
        }
    }
}

/// The question whose answers are made up.
private enum RevocationStage {
    static let now = Timestamp(seconds: 1_800_000_000)
    static let query: OCSPQuery? = {
        guard let key = try? PrivateKey.generate(.ecP256) else { return nil }
        var template = CertificateTemplate(
            subject: .init(commonName: "seed"), publicKey: key.publicKey,
            notBefore: now.adding(days: -1), notAfter: now.adding(days: 1))
        template.isCA = true
        guard let issuer = try? template.issue(issuer: nil, issuerKey: key) else { return nil }
        template.isCA = false
        template.subject = .init(commonName: "leaf")
        guard let leaf = try? template.issue(issuer: issuer, issuerKey: key) else { return nil }
        return try? OCSPQuery(about: leaf, issuedBy: issuer)
    }()
}
