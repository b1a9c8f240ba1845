import PKI
import Secrets
import TestSupport
import Testing

/// PEM as it comes back from variables, mails and forms.
@Suite struct ForeignTextTests {
    let key: PrivateKey
    let leaf: Certificate
    let pem: String

    init() throws {
        let pki = try TestPKI(now: TestTimes.now)
        key = try TestPKI.sharedKey(.ecP256)
        leaf = try pki.processing(merchant: "merchant.a", key: key.publicKey)
        pem = try leaf.pem + key.pkcs8PEM().revealedText
    }

    private func check(_ bytes: [UInt8], _ name: Comment) throws {
        let contents = try ForeignReader().read(SecretBytes(copying: bytes))
        #expect(contents.keys.map(\.value.publicKey) == [key.publicKey], name)
        #expect(contents.certificates.map(\.value) == [leaf], name)
    }

    private func utf16(_ text: String, bigEndian: Bool, mark: Bool) -> [UInt8] {
        ((mark ? [0xFEFF] : []) + Array(text.utf16)).flatMap { unit in
            let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            return bigEndian ? bytes : bytes.reversed()
        }
    }

    @Test func `mangled PEM is read`() throws {
        let escaped = pem.split(separator: "\n").joined(separator: "\\n")
        let variants: [(Comment, String)] = [
            ("as it is", pem),
            ("CR LF", pem.replacing("\n", with: "\r\n")),
            ("CR alone", pem.replacing("\n", with: "\r")),
            ("joined by blanks", pem.replacing("\n", with: " ")),
            ("joined by a literal \\n", escaped),
            ("joined by a literal \\r\\n", pem.replacing("\n", with: "\\r\\n")),
            ("quoted", "\"\(escaped)\""),
            ("a variable", "APPLE_PAY_CERT='\(escaped)'"),
            ("every line quoted", pem.split(separator: "\n").map { "\"\($0)\"," }.joined()),
            ("indented", pem.replacing("\n", with: "\n    ")),
            ("a mail", pem.split(separator: "\n").map { "> \($0)" }.joined(separator: "\n")),
            ("text around it", "Hello,\nhere it is:\n\(pem)\nRegards – Zoë\n"),
            ("bag attributes", "Bag Attributes\n    friendlyName: x\nsubject=/CN=x\n\(pem)"),
            ("no white space at all", pem.filter { !$0.isWhitespace }),
            ("padding lost", pem.replacing("=\n", with: "\n")),
            ("a byte-order mark", "\u{FEFF}\(pem)"),
            ("base64 of it", Base64.encode(Array(pem.utf8))),
            ("base64 of base64", Base64.encode(Array(Base64.encode(Array(pem.utf8)).utf8))),
        ]
        for (name, text) in variants {
            try check(Array(text.utf8), name)
        }
        try check(Array(pem.utf8) + [0x0A, 0x1A, 0], "padding behind it")
        for bigEndian in [false, true] {
            for mark in [false, true] {
                try check(
                    utf16(pem, bigEndian: bigEndian, mark: mark), "UTF-16 \(bigEndian) \(mark)")
            }
        }
    }

    @Test func `base64 without markers is read`() throws {
        let bare = Base64.encode(leaf.der)
        for text in [bare, "CERT=\(bare)", "cert: \"\(bare)\"\n", bare.replacing("=", with: "")] {
            let contents = try ForeignReader().read(SecretBytes(copying: text.utf8))
            #expect(contents.certificates.map(\.value) == [leaf])
            #expect(contents.description == "a certificate (DER) in base64")
        }
        let twice = Base64.encode(Array(bare.utf8))
        #expect(try read(twice).certificates.count == 1)
        let thrice = Base64.encode(Array(twice.utf8))
        #expect(throws: PKIError.nestedTooDeeply(limit: 8)) { try read(thrice) }
    }

    private func read(_ text: String) throws -> ForeignContents {
        try ForeignReader().read(SecretBytes(copying: text.utf8))
    }

    @Test func `what was cut off does not pass for whole`() throws {
        let text = leaf.pem
        for length in stride(from: 40, to: text.utf8.count - 8, by: 7) {
            let error = #expect(throws: PKIError.self) {
                try read(String(text.prefix(length)))
            }
            #expect(["pki.malformed-pem", "pki.plain-text"].contains(error?.code ?? ""))
        }
        for length in stride(from: 4, to: leaf.der.count, by: 31) {
            let error = #expect(throws: PKIError.self) {
                try ForeignReader().read(SecretBytes(copying: leaf.der.prefix(length)))
            }
            #expect(error?.code == "pki.truncated")
        }
    }

    @Test func `a bad block does not hide the good ones in a survey`() throws {
        let text = leaf.pem + "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n" + pem
        let contents = ForeignReader().survey(SecretBytes(copying: text.utf8))
        #expect(contents.certificates.map(\.place) == ["block 1"])
        #expect(contents.keys.map(\.place) == ["block 4"])
        #expect(contents.problems.map(\.place) == ["block 2"])
        #expect(throws: PKIError.self) { try read(text) }
    }

    @Test func `several values in a row are read`() throws {
        let bytes = leaf.der + key.publicKey.subjectPublicKeyInfo + [0x0D, 0x0A]
        let contents = try ForeignReader().read(SecretBytes(copying: bytes))
        #expect(contents.certificates.map(\.place) == ["value 1 of the file"])
        #expect(contents.publicKeys.map(\.value) == [key.publicKey])
    }

    @Test(arguments: [
        ("", "pki.empty-file"), ("hello\n", "pki.plain-text"),
        ("<!DOCTYPE html><html><body>Sign in</body></html>", "pki.web-page"),
        ("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAA a@b", "pki.openssh-key"),
        (
            "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n",
            "pki.openssh-key"
        ),
        (
            "-----BEGIN PGP MESSAGE-----\n\nAAAA\n=AAAA\n-----END PGP MESSAGE-----\n",
            "pki.pgp-file"
        ),
        ("\u{1}\u{2}\u{3}", "pki.unknown-file"),
        (
            "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n",
            "pki.nothing-found"
        ),
    ])
    func `everything else is named`(_ text: String, _ code: String) {
        let error = #expect(throws: PKIError.self) { try read(text) }
        #expect(error?.code == code)
    }
}
