import TestSupport
import Testing

/// Exports as `openssl pkcs12` opens them.
@Suite(.twoAtATime) struct ExportTests {
    private static let kinds = [
        "merchant-identity", "payment-processing", "payment-processing-rsa",
    ]

    @Test func `openssl opens the export of every kind, and its key fits its certificate`()
        async throws
    {
        let lab = try await Lab()
        try await lab.register()
        for kind in Self.kinds {
            let credential = try await lab.certify(Shop(), kind)
            let id = try #require(credential["id"].text)
            let password = lab.home.folder.write("password", Array("correct horse ü\n".utf8))
            let out = lab.home.folder.file("\(kind).p12")
            try await lab.home.must(
                "certificate", "export", id, "--out", out, "--password-file", password)

            let shown = try await tool(
                "openssl", ["pkcs12", "-in", out, "-info", "-noout", "-passin", "file:\(password)"])
            let words = shown.errorText
            #expect(words.contains("MAC: sha256, Iteration 100000"))
            // Key and certificates, both encrypted.
            let encryption =
                "PBES2, PBKDF2, AES-256-CBC, Iteration 100000, PRF hmacWithSHA256"
            #expect(words.components(encryption) == 2, "\(words)")

            let key = try await open(out, password, ["-nocerts", "-nodes"])
            let certificates = try await open(out, password, ["-nokeys"])
            let ofKey = try await tool("openssl", ["pkey", "-pubout"], input: key)
            let ofCertificate = try await tool(
                "openssl", ["x509", "-noout", "-pubkey"], input: certificates)
            #expect(ofKey.text == ofCertificate.text && !ofKey.text.isEmpty)
            let fingerprint = try await tool(
                "openssl", ["x509", "-noout", "-fingerprint", "-sha256"], input: certificates)
            #expect(
                fingerprint.text.lowercased().filter { $0 != ":" }.contains(
                    credential["fingerprint"].text ?? "none"))
        }
    }

    @Test func `a wrong password is refused, and an existing file is not overwritten`()
        async throws
    {
        let lab = try await Lab()
        try await lab.register()
        let id = try #require(try await lab.certify()["id"].text)
        let password = lab.home.folder.write("password", Array("correct horse".utf8))
        let other = lab.home.folder.write("other", Array("correct house".utf8))
        let out = lab.home.folder.file("shop.p12")
        try await lab.home.must(
            "certificate", "export", id, "--out", out, "--password-file", password)
        let opened = try await ForeignProcess.runBeside(
            "openssl", ["pkcs12", "-in", out, "-noout", "-passin", "file:\(other)"])
        #expect(opened.status != 0 && opened.errorText.contains("invalid password"))
        let before = lab.home.folder.read("shop.p12")
        let again = try await lab.home.refusal(
            "certificate", "export", id, "--out", out, "--password-file", password)
        #expect(again.status == 73)
        #expect(lab.home.folder.read("shop.p12") == before)
        let mode = try await tool("stat", ["-c", "%a", out])
        #expect(mode.text == "600\n")
    }

    private func open(_ file: String, _ password: String, _ what: [String]) async throws -> [UInt8]
    {
        try await tool(
            "openssl", ["pkcs12", "-in", file, "-passin", "file:\(password)"] + what
        ).output
    }
}

extension String {
    /// How often `part` occurs.
    fileprivate func components(_ part: String) -> Int {
        indices.count { self[$0...].hasPrefix(part) }
    }
}
