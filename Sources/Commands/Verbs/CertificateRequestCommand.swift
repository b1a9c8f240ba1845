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
        // BODY: not written yet.
    }
}
