import Database
import Files
import Issuance
import Merchants
import Secrets

/// `purser certificate export`.
enum CertificateExportCommand {
    /// The profile without a key.
    private static let certificateAlone = "certificate"

    static let profile = Option(
        "profile", "NAME", "the form of the file, modern by default; see above",
        kind: .values(KeyProfile.allCases.map(\.rawValue) + [certificateAlone]))
    static let out = Option(
        "out", "FILE", "the file to write; an existing one is refused", kind: .file,
        isRequired: true)
    static let passwordFile = Option(
        "password-file", "FILE",
        "a file with the export's password, /dev/fd/N too (default: asked on the terminal)",
        kind: .file)
    static let allowEmpty = Option(
        flag: "allow-empty-password", "let the password be empty; without --password-file it is")

    static let verb = Verb(
        "certificate", "export",
        summary: "write key and certificate to a file under a password",
        discussion: [
            "modern is PKCS#12 with AES-256 and SHA-256, for \(KeyProfile.modern.readers).",
            "legacy is PKCS#12 with 3DES and SHA-1, for \(KeyProfile.legacy.readers), so give it a long "
                + "password.",
            "pem is the key as PKCS#8 encrypted with AES-256, then the certificates, for "
                + "\(KeyProfile.pem.readers).",
            "certificate is the certificate alone in PEM, for everybody: it holds no key, and takes no "
                + "password and no master key.",
            "Every export of a key is in the ledger.",
        ],
        arguments: [.credential(.exportable)], options: [profile, out, passwordFile, allowEmpty],
        examples: [
            Example(
                "purser certificate export 3f09a1c2d4e5 --out shop.p12 --password-file password",
                "export a key under the password in a file"),
            Example(
                "purser certificate export 3f09a1c2d4e5 --profile certificate --out shop.pem",
                "export the certificate alone"),
        ],
        needs: .key, isAct: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        let id = try CredentialIdentifier(invocation[.credential])
        let out = try OutputFile(
            invocation.context.absolute(invocation.required(out)), outside: invocation.layout)
        let name = invocation[profile] ?? KeyProfile.modern.rawValue
        guard let profile = KeyProfile(rawValue: name) else {
            return try await exportCertificate(id, to: out, invocation)
        }
        let password = try await password(invocation)
        let unlocked = try await invocation.unlockHome(wayBack: true)
        let file = try await unlocked.home.export(
            id, as: profile, password: password, vault: unlocked.vault)
        try out.write(file)
        if password.count == 0 {
            invocation.warn("the password is empty: whoever reads the file has the key")
        }
        try invocation.print(
            ExportReport(
                id: id.text, profile: name, file: invocation.required(Self.out),
                readers: profile.readers))
    }

    private static func exportCertificate(
        _ id: CredentialIdentifier, to out: OutputFile, _ invocation: Invocation
    ) async throws {
        for (flag, isGiven) in [
            (passwordFile, invocation[passwordFile] != nil),
            (allowEmpty, invocation.isSet(allowEmpty)),
        ] where isGiven {
            throw CommandLineError.uselessFlag(
                "--\(flag.name)", because: "the profile certificate holds no key")
        }
        let home = try await invocation.openHome(.readOnly, wayBack: true)
        try out.write(try await home.exportCertificate(id))
        try invocation.print(
            ExportReport(
                id: id.text, profile: certificateAlone, file: invocation.required(Self.out),
                readers: "everybody; it holds no key"))
    }

    /// From the file, else empty where that is allowed, else typed twice.
    private static func password(_ invocation: Invocation) async throws -> SecretBytes {
        let mayBeEmpty = invocation.isSet(allowEmpty)
        guard let given = try await invocation.password(of: passwordFile) else {
            return mayBeEmpty
                ? SecretBytes(copying: [])
                : try await invocation.context.askNewSecret(
                    "the file's password", question: "Password for the file",
                    use: "name a file with --password-file FILE")
        }
        guard given.count > 0 || mayBeEmpty else { throw CommandLineError.emptyPassword }
        return given
    }
}

/// What was exported, where to, and who reads it.
private struct ExportReport: Report {
    let id: String
    let profile: String
    let file: String
    let readers: String

    func text(width: Int) -> String {
        "\(id) exported to \(TerminalText.escaped(file)) (\(profile): \(readers))\n"
    }
}
