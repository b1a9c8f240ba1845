import Database
import Documents
import Files
import Issuance
import Merchants
import PKI
import Registry
import Secrets

/// `purser certificate import`.
enum CertificateImportCommand {
    static let file = Argument(
        "FILE", "the certificate, or what holds it: DER, PEM, PKCS#7, PKCS#12", kind: .file,
        acceptsStandardInput: true)
    static let key = Option(
        "key", "FILE", "its private key, where that is in a file of its own", kind: .file)
    static let passwordFile = Option(
        "password-file", "FILE",
        "a file with the password under which the files are encrypted (default: asked on the "
            + "terminal, where one is needed)", kind: .file)
    static let kind = Option(
        "kind", "KIND", "refuse every other kind; keep a key alone until its certificate comes",
        kind: .kind)
    static let provider = Option(
        "provider", "NAME", "the payment provider that holds the key; the certificate is recorded")
    static let pick = Option(
        "pick", "FINGERPRINT",
        "import the certificate whose fingerprint begins like this, of several in the file",
        isRepeated: true)
    static let all = Option(flag: "all", "import every certificate in the file, or none")

    static let verb = Verb(
        "certificate", "import", summary: "take in a certificate, with its key or for one",
        discussion: [
            "The certificate itself tells its kind, its merchant and its key; a wrong one is refused "
                + "with a reason and leaves nothing behind. Intermediates in the file are kept and "
                + "sent along.",
            "A file's form is told by its content: what purser inspect reads can be imported. A key "
                + "is matched to its certificate by the public key alone.",
        ],
        arguments: [.merchant, file], options: [key, passwordFile, kind, provider, pick, all],
        examples: [
            Example(
                "purser certificate import merchant.com.example.shop merchant_id.cer",
                "take in the file downloaded from Apple's portal"),
            Example(
                "purser certificate import merchant.com.example.shop export.p12 "
                    + "--password-file password",
                "take in a certificate and its key from a keychain's export"),
        ],
        needs: .key, isAct: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        let merchant = try MerchantIdentifier(invocation[.merchant])
        let picked = invocation.all(pick)
        if !picked.isEmpty, invocation.isSet(all) {
            throw CommandLineError.conflictingFlags("--pick", "--all")
        }
        var order = ImportOrder(
            file: try await invocation.secretContents(of: file, limit: ForeignReader.sizeLimit))
        order.keyFile = try await invocation.secretContents(
            of: key, limit: ForeignReader.sizeLimit)
        order.passwords = try await invocation.password(of: passwordFile).map { [$0] } ?? []
        order.kind = invocation.kind(kind)
        order.provider = try invocation[provider].map { try ProviderName($0) }
        order.choice = invocation.isSet(all) ? .all : picked.isEmpty ? .only : .picked(picked)
        let material = try await read(order, invocation)
        if material.holdsKey { invocation.warnOfKey(in: file) }
        invocation.warnOfKey(in: key)
        let unlocked = try await invocation.unlockHome()
        let imported = try await unlocked.home.importCertificates(
            material, for: merchant, vault: unlocked.vault)
        var told: Set<String> = []
        for warning in imported.flatMap(\.warnings) where told.insert(warning.text).inserted {
            invocation.warn(warning.text, hint: warning.hint)
        }
        for old in imported where !old.isNew {
            invocation.context.tell("note", "\(old.credential.id) was imported before")
        }
        let environments = try await unlocked.home.database.read {
            try MerchantRecords.find(merchant, in: $0).environments
        }
        try invocation.print(ImportReport(imported, environments: environments))
    }

    /// Reads the files, asking for their password if they need one and somebody is there.
    private static func read(
        _ order: ImportOrder, _ invocation: Invocation
    ) async throws -> ImportFile {
        do {
            return try await onOwnThread { try ImportFile(order) }
        } catch PKIError.passwordNeeded(let thing) {
            let given = try await invocation.context.prompt.ask(
                "Password of the \(thing)", for: "the file's password")
            guard let given else { throw PKIError.passwordNeeded(thing) }
            var order = order
            order.passwords = [given]
            let complete = order
            return try await onOwnThread { try ImportFile(complete) }
        }
    }
}

/// What was imported: an array, because a file may hold several.
private struct ImportReport: Report {
    let credentials: [CredentialDocument]
    let next: [String]

    init(_ imported: [ImportedCertificate], environments: [EnvironmentName]) {
        credentials = imported.map { CredentialDocument($0.credential) }
        next = imported.compactMap { Self.next(for: $0.credential, environments) }
    }

    private static func next(
        for credential: Credential, _ environments: [EnvironmentName]
    ) -> String? {
        switch (credential.state, credential.custody, credential.kind) {
        case (.requested, .local, _):
            "purser certificate import \(credential.merchant) CERTIFICATE"
        case (.issued, .local, .merchantIdentity):
            "purser certificate activate \(credential.id)" + choice(of: environments)
        case (.issued, .local, _):
            "activate it in Apple's portal, then: "
                + "purser certificate activated \(credential.id)"
        case (.issued, .provider, .merchantIdentity):
            "give it to \(credential.provider ?? "the provider"); once it is used there: "
                + "purser certificate activated \(credential.id)"
        case (.issued, .provider, _):
            "give it to \(credential.provider ?? "the provider"), activate it in Apple's portal, "
                + "then: purser certificate activated \(credential.id)"
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
        credentials.map(\.line).joined() + next.map { "next: \($0)\n" }.joined()
    }
}
