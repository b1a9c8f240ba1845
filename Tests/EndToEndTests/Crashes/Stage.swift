import PKI
import TestSupport

/// A home with something of everything, that can be put back as it was as often as needed.
struct Stage: Sendable {
    static let merchant = "merchant.com.example.shop"

    let home: TestHome
    /// The credential in use.
    let active: String
    private let issued: String
    private let processing: String
    private let abandoned: String
    /// An unlocker that no test opens the home with.
    private let unlocker: String

    /// A home of its own, copied from one that is made once; at `place` for one on another disk.
    init(at place: String? = nil) async throws {
        let original = try await Self.original.value
        home = try await TestHome(founded: false, at: place)
        active = original.active
        issued = original.issued
        processing = original.processing
        abandoned = original.abandoned
        unlocker = original.unlocker
        try await tool("cp", ["-a", original.home.folder.path + "/.", home.folder.path])
        if place != nil { try await tool("mv", [home.folder.file("home"), home.path]) }
    }

    private static let original = Task { try await Stage(byWorkOn: TestHome()) }

    private init(byWorkOn home: TestHome) async throws {
        let issuer = try TestIssuer()
        try await issuer.introduce(to: home)
        let merchant = Self.merchant
        try await home.must("merchant", "add", merchant, "--environment", "lab")
        try await home.must("domain", "add", merchant, "shop.example.com")

        func issue(_ kind: String) async throws -> String {
            let csr = try await home.must("certificate", "request", merchant, kind)
            let certificate = try issuer.certify(csr, merchant, kind)
            let imported = try await home.json(
                "certificate", "import", merchant, "-", input: certificate)
            return imported[0]["id"].text ?? ""
        }
        active = try await issue("merchant-identity")
        try await home.must("certificate", "activate", active, "--without-rehearsal")
        issued = try await issue("merchant-identity")
        processing = try await issue("payment-processing")
        abandoned = try await issue("payment-processing")
        try await home.must("certificate", "abandon", abandoned)

        unlocker = try await home.json("unlocker", "add", "--recovery-key")["id"].text ?? ""

        let csr = try await home.must("certificate", "request", merchant, "merchant-identity")
        let certificate = try issuer.certify(csr, merchant, "merchant-identity")
        home.folder.write("certificate", certificate)
        home.folder.write("pair", try issuer.pair(merchant, "payment-processing"))
        // A key that its provider holds, and that comes here with the victim.
        let theirs = try issuer.pair(merchant, "payment-processing")
        home.folder.write("theirs", theirs)
        let certificateAlone = try ForeignProcess.run("openssl", ["x509"], input: theirs)
        try await home.must(
            "certificate", "import", merchant, "-", "--provider", "Example Payments",
            input: certificateAlone.output)
        let request = try ForeignProcess.run(
            "openssl",
            ["req", "-new", "-newkey", "rsa:2048", "-nodes", "-keyout", "/dev/null", "-subj", "/"])
        home.folder.write("request", request.output)
        home.folder.write("secret", Array("a password for a file\n".utf8))
        try await tool("cp", ["-a", home.path, home.folder.file("template")])
        self.home = home
    }

    /// Puts the home back, and takes away what a command has written beside it.
    func restore() async throws {
        let folder = home.folder
        try await tool(
            "rm", ["-rf", home.path, folder.file("out"), folder.file("second.key")])
        try await tool("cp", ["-a", folder.file("template"), home.path])
    }

    /// `command` with the capital words replaced by what this home has.
    func filledIn(_ command: [String]) -> [String] {
        let words = [
            "ACTIVE": active, "ISSUED": issued, "ABANDONED": abandoned, "PROCESSING": processing,
            "UNLOCKER": unlocker, "KEYFILE": home.folder.file("second.key"),
            "OUT": home.folder.file("out"),
            "CERTIFICATE": home.folder.file("certificate"), "PAIR": home.folder.file("pair"),
            "SECRET": home.folder.file("secret"), "THEIRS": home.folder.file("theirs"),
            "REQUEST": home.folder.file("request"),
        ]
        return command.flatMap { word in
            word == "ANCHOR"
                ? ["--apple-root", home.folder.file("anchor-0.pem")] : [words[word] ?? word]
        }
    }
}

/// The key's hash of a CSR that was told; nil where it was not told to its end.
func keyHash(ofCSR text: [UInt8]) -> [UInt8]? {
    (try? CertificateSigningRequest(pem: text))?.publicKey.sha256
}
