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
        let password = lab.home.folder.write("password", Array("an export's own password".utf8))
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

    @Test func `the legacy profile has 3DES and SHA-1, and never RC2`() async throws {
        let (lab, id, password) = try await certified("payment-processing-rsa")
        let out = try await export(lab, id, "legacy", ["--password-file", password])
        let shown = try await tool(
            "openssl", ["pkcs12", "-in", out, "-info", "-noout", "-passin", "file:\(password)"])
        let words = shown.errorText
        #expect(words.contains("MAC: sha1, Iteration 100000"))
        #expect(words.components("pbeWithSHA1And3-KeyTripleDES-CBC, Iteration 100000") == 2)
        #expect(!words.contains("RC2"))
    }

    @Test func `the pem profile is an encrypted key and its certificate`() async throws {
        let (lab, id, password) = try await certified("payment-processing")
        let out = try await export(lab, id, "pem", ["--password-file", password])
        let text = String(decoding: lab.home.folder.read("pem"), as: UTF8.self)
        #expect(text.hasPrefix("-----BEGIN ENCRYPTED PRIVATE KEY-----\n"))
        #expect(text.components("BEGIN") >= 2 && text.components("PRIVATE KEY") == 2)
        let shown = try await tool("openssl", ["asn1parse", "-in", out]).text
        for name in ["PBES2", "PBKDF2", "hmacWithSHA256", "aes-256-cbc"] {
            #expect(shown.contains(name), "\(shown)")
        }
        let ofKey = try await tool(
            "openssl", ["pkey", "-in", out, "-passin", "file:\(password)", "-pubout"])
        let ofCertificate = try await tool("openssl", ["x509", "-in", out, "-noout", "-pubkey"])
        #expect(ofKey.text == ofCertificate.text && !ofKey.text.isEmpty)
    }

    @Test func `a certificate alone needs neither password nor master key`() async throws {
        let (lab, id, password) = try await certified("merchant-identity")
        let out = lab.home.folder.file("alone")
        let words = ["certificate", "export", id, "--profile", "certificate", "--out", out]
        let refused = try await lab.home.run(words + ["--password-file", password])
        #expect(refused.status == 64 && refused.errorText.contains("has no use here"))
        let exported = try await ForeignProcess.runBeside(
            Binaries.purser, ["--home", lab.home.path] + words, environment: TestHome.environment)
        #expect(exported.status == 0, "\(exported.errorText)")
        let text = String(decoding: lab.home.folder.read("alone"), as: UTF8.self)
        #expect(!text.contains("PRIVATE") && text.components("BEGIN CERTIFICATE") == 1)
        let acts = try await lab.home.run("audit", "list", "--act", "certificate.exported")
        #expect(acts.text == "", "no key has left the home")
    }

    @Test func `an empty password needs its flag, and is in the ledger`() async throws {
        let (lab, id, _) = try await certified("merchant-identity")
        let empty = lab.home.folder.write("empty", Array("\n".utf8))
        let refused = try await lab.home.refusal(
            "certificate", "export", id, "--out", lab.home.folder.file("none"),
            "--password-file", empty)
        #expect(refused.status == 64 && refused.code == "usage.empty-password")
        #expect(lab.home.folder.read("none").isEmpty)
        for profile in ["modern", "legacy", "pem"] {
            let out = try await export(lab, id, profile, ["--allow-empty-password"])
            let arguments = ["-in", out, "-passin", "pass:"]
            try await tool(
                "openssl",
                profile == "pem"
                    ? ["pkey", "-noout"] + arguments : ["pkcs12", "-noout"] + arguments)
        }
        let acts = try await lab.home.run("audit", "list", "--act", "certificate.exported")
        #expect(acts.text.components("password=empty") == 3, "\(acts.text)")
        for profile in ["modern", "legacy", "pem"] {
            #expect(acts.text.components("profile=\(profile)") == 1)
        }
    }

    @Test func `a password comes by a descriptor too`() async throws {
        let (lab, id, password) = try await certified("merchant-identity")
        let out = lab.home.folder.file("by-descriptor")
        let words =
            lab.home.flags + [
                "certificate", "export", id, "--out", out, "--password-file", "/dev/fd/9",
            ]
        let exported = try await ForeignProcess.runBeside(
            "sh",
            ["-c", "file=$1; shift; cat \"$file\" | { exec 9<&0; \"$@\"; }", "sh", password]
                + [Binaries.purser] + words, environment: TestHome.environment)
        #expect(exported.status == 0, "\(exported.errorText)")
        try await tool(
            "openssl", ["pkcs12", "-in", out, "-noout", "-passin", "file:\(password)"])
    }

    @Test(.enabled(if: isInstalled("keytool", ["-help"]), "there is no Java"))
    func `keytool opens what is PKCS#12`() async throws {
        let (lab, id, password) = try await certified("merchant-identity")
        for profile in ["modern", "legacy"] {
            let out = try await export(lab, id, profile, ["--password-file", password])
            let listed = try await tool(
                "keytool",
                [
                    "-list", "-storetype", "PKCS12", "-keystore", out, "-storepass:file", password,
                ])
            #expect(listed.text.contains("PrivateKeyEntry"), "\(profile): \(listed.text)")
        }
    }

    @Test(
        .enabled(
            if: isInstalled("python3", ["-c", "import cryptography"]), "there is no cryptography"))
    func `Python's cryptography opens every profile`() async throws {
        let (lab, id, password) = try await certified("payment-processing")
        let script = """
            import sys
            from cryptography import x509
            from cryptography.hazmat.primitives import serialization
            from cryptography.hazmat.primitives.serialization import pkcs12
            data = open(sys.argv[1], "rb").read()
            password = open(sys.argv[2], "rb").read().rstrip(b"\\n")
            if data.startswith(b"-----"):
                key = serialization.load_pem_private_key(data, password)
                certificate = x509.load_pem_x509_certificate(data)
            else:
                key, certificate, _ = pkcs12.load_key_and_certificates(data, password)
            assert key.public_key() == certificate.public_key()
            print("fits")
            """
        for profile in ["modern", "legacy", "pem"] {
            let out = try await export(lab, id, profile, ["--password-file", password])
            let read = try await tool("python3", ["-c", script, out, password])
            #expect(read.text == "fits\n", "\(profile): \(read.errorText)")
        }
    }

    /// A shop with one credential, and a file with a password.
    private func certified(_ kind: String) async throws -> (Lab, id: String, password: String) {
        let lab = try await Lab()
        try await lab.register()
        let id = try #require(try await lab.certify(Shop(), kind)["id"].text)
        return (
            lab, id, lab.home.folder.write("password", Array("an export's own password\n".utf8))
        )
    }

    /// Exports into a file named after the profile.
    private func export(
        _ lab: Lab, _ id: String, _ profile: String, _ more: [String]
    ) async throws -> String {
        let out = lab.home.folder.file(profile)
        try await lab.home.must(
            ["certificate", "export", id, "--profile", profile, "--out", out] + more)
        return out
    }

    private func open(_ file: String, _ password: String, _ what: [String]) async throws -> [UInt8]
    {
        try await tool(
            "openssl", ["pkcs12", "-in", file, "-passin", "file:\(password)"] + what
        ).output
    }
}

/// Whether a foreign peer is there to ask.
private func isInstalled(_ program: String, _ arguments: [String]) -> Bool {
    (try? ForeignProcess.run(program, arguments))?.status == 0
}

extension String {
    /// How often `part` occurs.
    fileprivate func components(_ part: String) -> Int {
        indices.count { self[$0...].hasPrefix(part) }
    }
}
