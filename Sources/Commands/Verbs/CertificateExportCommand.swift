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
        arguments: [.credential], options: [profile, out, passwordFile],
        examples: [
            Example(
                "purser certificate export 3f09a1c2d4e5 --out shop.p12 --password-file password",
                "export a key under the password in a file")
        ],
        needs: .key, run: run)

    static func run(_ invocation: Invocation) async throws {
        // BODY: not written yet.
    }
}
