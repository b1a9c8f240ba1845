import Clocks
import HomeSupport
import Issuance
import Merchants
import PKI
import Registry
import Secrets
import TestSupport
import Testing
import Vault

/// Imports of what people have besides a certificate and a key in PEM.
@Suite struct ForeignImportTests {
    private func order(_ bytes: [UInt8], _ password: String? = nil) -> ImportOrder {
        var order = ImportOrder(file: SecretBytes(copying: bytes))
        order.passwords = password.map { [SecretBytes(copying: $0.utf8)] } ?? []
        return order
    }

    private func take(_ order: ImportOrder, _ shop: Shop) async throws -> [ImportedCertificate] {
        try await shop.home.importCertificates(
            ImportFile(order), for: shop.merchant, vault: shop.vault)
    }

    private func pair(
        _ kind: CredentialKind, _ shop: Shop
    ) throws -> (key: PrivateKey, certificate: Certificate) {
        let key = try PrivateKey.generate(kind == .paymentProcessing ? .ecP256 : .rsa2048)
        let certificate =
            kind == .merchantIdentity
            ? try shop.pki.identity(
                merchant: shop.merchant.text, key: key.publicKey, from: shop.clock.now)
            : try shop.pki.processing(
                merchant: shop.merchant.text, key: key.publicKey, from: shop.clock.now)
        return (key, certificate)
    }

    private func openssl(_ arguments: [String], input: [UInt8] = []) throws -> [UInt8] {
        let result = try ForeignProcess.run("openssl", arguments, input: input)
        try #require(result.status == 0, "\(result.errorText)")
        return result.output
    }

    @Test(arguments: [[], ["-legacy"], ["-nomac"]])
    func `an export of a keychain is taken in whole, with its chain`(_ options: [String])
        async throws
    {
        let shop = try await Shop()
        let (key, leaf) = try pair(.merchantIdentity, shop)
        let intermediate = shop.pki.identityIntermediate.certificate
        let text =
            try leaf.pem + intermediate.pem + shop.pki.identityRoot.certificate.pem
            + key.pkcs8PEM().revealedText
        let file = try openssl(
            [
                "pkcs12", "-export", "-passout", "pass:secret", "-in",
                shop.folder.write("in.pem", Array(text.utf8)),
            ] + options)
        let imported = try await take(order(file, "secret"), shop)
        let credential = try #require(imported.first?.credential)
        #expect(imported.count == 1 && credential.state == .issued)
        #expect(
            imported[0].warnings.contains { $0.text.contains("no code") }
                == options.contains("-nomac"))
        let kept = try shop.vault.key(in: shop.slot(credential))
        #expect(kept.certificate == leaf && kept.chain == [intermediate])
        #expect(kept.key.publicKey == key.publicKey)
        let again = try await take(order(file, "secret"), shop)
        #expect(again.first?.isNew == false && again.first?.credential == credential)
        await #expect(throws: (any Error).self) { try await take(order(file, "other"), shop) }
    }

    @Test func `of several pairs the chosen ones are taken, or all, or none`() async throws {
        let shop = try await Shop()
        let pairs = try CredentialKind.allCases.map { try pair($0, shop) }
        let text = try pairs.map { try $0.key.pkcs8PEM().revealedText + $0.certificate.pem }
            .joined()
        var order = self.order(Array(text.utf8))
        await #expect(
            throws: IssuanceError.severalCertificates(pairs.map(\.certificate.sha256))
        ) { try await take(order, shop) }
        order.choice = .picked(["00000000"])
        await #expect(throws: IssuanceError.nothingPicked("00000000")) {
            try await take(order, shop)
        }
        order.choice = .picked([String(pairs[1].certificate.sha256.prefix(12)).uppercased()])
        let one = try await take(order, shop)
        #expect(one.map(\.credential.kind) == [.paymentProcessing])
        #expect(one[0].warnings.contains { $0.text.contains("2 of the private keys") })
        // Named twice is named once.
        order.choice = .picked([
            pairs[1].certificate.sha256, String(pairs[1].certificate.sha256.prefix(9)),
        ])
        #expect(try await take(order, shop).map(\.isNew) == [false])
        order.choice = .all
        let all = try await take(order, shop)
        #expect(Set(all.map(\.credential.kind)) == Set(CredentialKind.allCases))
        #expect(all.map(\.isNew) == [true, false, true])
        #expect(try await shop.credentials().count == 3)

        // One that is another merchant's, and nothing is taken.
        let other = try await Shop()
        let stranger = try PrivateKey.generate(.ecP256)
        let theirs = try other.pki.processing(
            merchant: "merchant.com.example.other", key: stranger.publicKey,
            from: other.clock.now)
        let (key, leaf) = try pair(.merchantIdentity, other)
        var mixed = try self.order(
            Array((leaf.pem + theirs.pem).utf8) + key.pkcs8PEM().revealed
                + stranger.pkcs8PEM().revealed)
        mixed.choice = .all
        await #expect(throws: CertificateFault.self) { try await take(mixed, other) }
        #expect(try await other.credentials().isEmpty)
    }

    @Test func `a key waits for its certificate`() async throws {
        let shop = try await Shop()
        let (key, leaf) = try pair(.paymentProcessing, shop)
        let encrypted = try openssl(
            ["pkcs8", "-topk8", "-v2", "aes-256-cbc", "-passout", "pass:secret"],
            input: key.pkcs8PEM().revealed)
        var order = self.order(encrypted, "secret")
        await #expect(throws: IssuanceError.keyWithoutCertificate) {
            try await take(order, shop)
        }
        order.kind = .merchantIdentity
        await #expect(throws: CertificateFault.wrongKey("EC P-256", kind: .merchantIdentity)) {
            try await take(order, shop)
        }
        order.kind = .paymentProcessing
        let waiting = try #require(try await take(order, shop).first)
        #expect(waiting.credential.state == .requested && waiting.isNew)
        let csr = try CertificateSigningRequest(der: try #require(waiting.credential.csr))
        #expect(csr.publicKey == key.publicKey && csr.verifySignature())
        #expect(try await take(order, shop).first?.isNew == false)
        let done = try await take(self.order(leaf.der), shop)
        #expect(done.first?.credential.id == waiting.credential.id)
        #expect(done.first?.credential.state == .issued)
        #expect(try shop.vault.key(in: shop.slot(waiting.credential)).certificate == leaf)
    }

    @Test func `a certificate is recorded whose key a provider holds`() async throws {
        let shop = try await Shop()
        let (key, leaf) = try pair(.paymentProcessing, shop)
        await #expect(throws: CertificateFault.keyNotOurs) {
            try await take(self.order(leaf.der), shop)
        }
        var order = self.order(leaf.der)
        order.provider = try ProviderName("Example Payments")
        let imported = try #require(try await take(order, shop).first)
        #expect(imported.credential.custody == .provider)
        #expect(imported.credential.provider == "Example Payments")
        #expect(imported.credential.state == .issued)
        #expect(!shop.vault.holdsKey(in: shop.slot(imported.credential)))
        #expect(try await take(order, shop).first?.isNew == false)
        order.provider = try ProviderName("Another")
        await #expect(
            throws: IssuanceError.heldElsewhere(
                imported.credential.id, holder: "Example Payments")
        ) { try await take(order, shop) }
        order.keyFile = try key.pkcs8PEM()
        await #expect(throws: IssuanceError.providerWithKey) { try await take(order, shop) }
        // A key that comes after all is not dropped in silence.
        order.provider = nil
        let taken = try #require(try await take(order, shop).first)
        #expect(taken.isNew && taken.credential.id == imported.credential.id)
        #expect(taken.credential.custody == .local && taken.credential.state == .issued)
    }

    @Test func `what Apple would refuse is refused with the reason`() async throws {
        let shop = try await Shop()
        let keys = [
            ("RSA 1024", try openssl(["genrsa", "1024"])),
            ("EC P-384", try openssl(["ecparam", "-name", "secp384r1", "-genkey", "-noout"])),
            (
                "EC P-256 with explicit parameters",
                try openssl([
                    "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-param_enc",
                    "explicit",
                ])
            ),
        ]
        for (name, pem) in keys {
            let key = try PrivateKey(pem: SecretBytes(copying: pem))
            for kind in [CredentialKind.merchantIdentity, .paymentProcessing] {
                var alone = order(pem)
                alone.kind = kind
                await #expect(throws: CertificateFault.wrongKey(name, kind: kind)) {
                    try await take(alone, shop)
                }
            }
            let leaf = try shop.pki.processing(
                merchant: shop.merchant.text, key: key.publicKey, from: shop.clock.now)
            let fault = await #expect(throws: CertificateFault.self) {
                try await take(order(Array(leaf.pem.utf8) + pem), shop)
            }
            #expect(fault?.code == "certificate.wrong-key-type")
        }
        #expect(try await shop.credentials().isEmpty)
    }

    @Test func `a signature over SHA-1 is refused`() async throws {
        let shop = try await Shop()
        let merchant = shop.merchant.text
        let hash = Hexadecimal.uppercase(SHA256.hash(Array(merchant.utf8)))
        let key = try PrivateKey.generate(.rsa2048)
        let leaf = try openssl([
            "req", "-x509", "-new", "-sha1", "-days", "36500", "-key",
            shop.folder.write("key.pem", try key.pkcs8PEM().revealed), "-subj",
            "/UID=\(merchant)/CN=x", "-addext", "basicConstraints=critical,CA:FALSE", "-addext",
            "keyUsage=critical,digitalSignature", "-addext", "extendedKeyUsage=clientAuth",
            "-addext", "1.2.840.113635.100.6.46=ASN1:NULL", "-addext",
            "1.2.840.113635.100.6.32=ASN1:UTF8String:\(hash)",
        ])
        await #expect(throws: CertificateFault.weakSignature("sha1WithRSAEncryption")) {
            try await take(try order(leaf + key.pkcs8PEM().revealed), shop)
        }
    }

    @Test func `a key from a standard draws a warning`() async throws {
        let shop = try await Shop()
        // RFC 9500 §2.3, testECCP256.
        let base64 =
            "MHcCAQEEIObLW92AqkWunJXowVR2Z5/+yVPBaFHnEedDk5WJxk/BoAoGCCqGSM49"
            + "AwEHoUQDQgAEQiVI+I+3gv+17KN0RFLHKh5Vj71vc75eSOkyMsxFxbFsTNEMTLjV"
            + "uKFxOelIgsiZJXKZNCX0FBmrfpCkKklCcg=="
        let der = try #require(Base64.decode(base64))
        let key = try PrivateKey(der: SecretBytes(copying: der))
        let leaf = try shop.pki.processing(
            merchant: shop.merchant.text, key: key.publicKey, from: shop.clock.now)
        var order = self.order(leaf.der)
        order.keyFile = SecretBytes(copying: base64.utf8)
        let warned = try await take(order, shop)
        #expect(warned.first?.warnings.contains { $0.text.contains("RFC 9500") } == true)
    }
}
