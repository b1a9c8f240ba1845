/// `purser certificate import`.
enum CertificateImportCommand {
    static let file = Argument(
        "FILE", "the certificate, DER or PEM", kind: .file, acceptsStandardInput: true)
    static let key = Option("key", "FILE", "its private key, PEM, made elsewhere", kind: .file)
    static let kind = Option("kind", "KIND", "what a key without a certificate is for", kind: .kind)

    static let verb = Verb(
        "certificate", "import", summary: "take in the certificate that Apple made",
        discussion: [
            "The certificate itself tells its kind, its merchant and its key; a wrong one is refused with "
                + "a reason and leaves nothing behind."
        ],
        arguments: [.merchant, file], options: [key, kind],
        examples: [
            Example(
                "purser certificate import merchant.com.example.shop merchant_id.cer",
                "take in the file downloaded from Apple's portal")
        ],
        needs: .key, run: run)

    static func run(_ invocation: Invocation) async throws {
        // BODY: not written yet.
    }
}
