import Files
import Issuance
import Merchants
import Secrets

/// `purser certificate export`.
enum CertificateExportCommand {
    static let profile = Option(
        "profile", "NAME",
        "the form of the file: modern is PKCS#12 as OpenSSL 3 writes it (default)",
        kind: .values(["modern"]))
    static let out = Option(
        "out", "FILE", "the file to write; an existing one is refused", kind: .file,
        isRequired: true)
    static let passwordFile = Option(
        "password-file", "FILE",
        "a file with the export's password (default: asked on the terminal)",
        kind: .file)

    static let verb = Verb(
        "certificate", "export",
        summary: "write key and certificate to a PKCS#12 file under a password",
        arguments: [.credential(.exportable)], options: [profile, out, passwordFile],
        examples: [
            Example(
                "purser certificate export 3f09a1c2d4e5 --out shop.p12 --password-file password",
                "export a key under the password in a file")
        ],
        needs: .key, run: run)

    static func run(_ invocation: Invocation) async throws {
        let id = try CredentialIdentifier(invocation[.credential])
        let out = try OutputFile(invocation.context.absolute(invocation.required(out)))
        let given = try await invocation.password(of: passwordFile)
        let password: SecretBytes
        if let given {
            password = given
        } else {
            password = try await invocation.context.askNewSecret(
                "the file's password", question: "Password for the file",
                use: "name a file with --password-file FILE")
        }
        guard password.count > 0 else { throw CommandLineError.emptyValue("the password") }
        let unlocked = try await invocation.unlockHome(wayBack: true)
        let bundle = try await unlocked.home.export(
            id, password: password, vault: unlocked.vault)
        try out.write(bundle)
        try invocation.print(
            ExportReport(id: id.text, profile: "modern", file: invocation.required(Self.out)))
    }
}

/// What was exported, and where to.
private struct ExportReport: Report {
    let id: String
    let profile: String
    let file: String

    func text(width: Int) -> String {
        "\(id) exported to \(TerminalText.escaped(file)) (\(profile): OpenSSL 3, Java 17, "
            + "current macOS and Windows)\n"
    }
}
