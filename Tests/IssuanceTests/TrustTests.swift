import Clocks
import Database
import Files
import HomeSupport
import Issuance
import Ledger
import Merchants
import PKI
import Registry
import Secrets
import TestSupport
import Testing
import Transfers
import Vault

/// What comes into realm `apple`, and what that says of the certificates that are here.
@Suite struct TrustTests {
    private static func apple(_ name: String) throws -> Certificate {
        try Certificate(der: OutsideVectors.read("apple-roots/\(name).cer"))
    }

    /// Every path that is fetched, with Apple's own file.
    private static var published: [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for path in AppleRoot.allCases.map(\.path) + AppleRoot.intermediatePaths {
            files[path] = OutsideVectors.read(
                "apple-roots/\(path.split(separator: "/").last ?? "")")
        }
        return files
    }

    /// A record of `certificate` in realm apple, whoever issued it.
    private func insert(_ certificate: Certificate, _ shop: Shop) async throws
        -> CredentialIdentifier
    {
        let merchant = try MerchantIdentifier("merchant.com.example.real")
        try await shop.home.addMerchant(
            merchant, environments: [.production], change: MerchantChange())
        let credential = Credential(
            id: .random(), merchant: merchant, realm: .apple, kind: .merchantIdentity,
            state: .issued, custody: .provider, provider: "Example Payments",
            publicKeyHash: certificate.publicKey.sha256, keyAlgorithm: "RSA 2048", csr: nil,
            certificate: CertificateRecord(
                der: certificate.der, fingerprint: certificate.sha256, subject: "CN=x",
                serialNumber: certificate.serialNumber, notBefore: certificate.notBefore,
                notAfter: certificate.notAfter, teamIdentifier: nil, issuerVerified: false),
            createdAt: shop.clock.now, activatedAt: nil)
        try await shop.home.database.write { try Credentials.insert(credential, in: $0) }
        return credential.id
    }

    private func isVerified(_ id: CredentialIdentifier, _ shop: Shop) async throws -> Bool? {
        try await shop.home.database.read {
            try Credentials.find(id, in: $0).certificate?.issuerVerified
        }
    }

    @Test func `nobody else's authority comes into realm apple`() async throws {
        let shop = try await Shop()
        let root = shop.pki.identityRoot.certificate
        let between = shop.pki.identityIntermediate.certificate
        let leaf = try shop.certificate(
            for: try await shop.request(.merchantIdentity).csr, .merchantIdentity)
        for (offered, code) in [
            ([root], "trust.not-pinned"), ([between], "trust.issuer-unknown"),
            ([root, between], "trust.not-pinned"), ([between, root], "trust.issuer-unknown"),
            ([leaf], "trust.not-an-authority"),
        ] {
            let error = await #expect(throws: TrustError.self) {
                _ = try await shop.home.admit(offered)
            }
            #expect(error?.code == code)
        }
        #expect(try await shop.home.trust(of: .apple).roots.isEmpty)
        #expect(try FileStatus.ifPresent("\(shop.home.layout.anchors)/apple") == nil)
        #expect(throws: TrustError.self) {
            _ = try Certificate.authorities(in: try TestPKI.sharedKey(.ecP256).pkcs8PEM())
        }
    }

    @Test func `a root that was written into the database is still none`() async throws {
        let shop = try await Shop()
        let merchant = try MerchantIdentifier("merchant.com.example.real")
        try await shop.home.addMerchant(
            merchant, environments: [.production], change: MerchantChange())
        for certificate in [
            shop.pki.identityRoot.certificate, shop.pki.identityIntermediate.certificate,
        ] {
            try Folder.makeAll(["anchors", "apple"], below: shop.home.layout.path)
            try DurableFile.write(
                Array(certificate.pem.utf8),
                to: "\(shop.home.layout.anchors)/apple/\(certificate.sha256).pem",
                replacing: false)
            try await shop.home.database.write {
                try RealmRoots.add(
                    RealmRoot(realm: .apple, fingerprint: certificate.sha256, subject: "CN=x"),
                    in: $0)
            }
        }
        let key = try PrivateKey.generate(.rsa2048)
        let leaf = try shop.pki.identity(
            merchant: merchant.text, key: key.publicKey, from: shop.clock.now)
        let imported = try await shop.home.importCertificate(
            SecretBytes(copying: leaf.der), keyFile: try key.pkcs8PEM(), kind: nil,
            for: merchant, vault: shop.vault)
        #expect(imported.credential.certificate?.issuerVerified == false)
        #expect(imported.warnings.contains { $0.text.contains("unproven") })
    }

    @Test func `certificates of a realm are verified when its roots come later`() async throws {
        let shop = try await Shop()
        let late = try MerchantIdentifier("merchant.com.example.late")
        let realm = try RealmName("late")
        func environment(_ name: String) throws -> GatewayEnvironment {
            GatewayEnvironment(
                name: try EnvironmentName(name), realm: realm,
                gateway: try GatewayAddress("https://localhost:1"), gatewayCA: nil, proxy: nil,
                isBuiltIn: false)
        }
        try await shop.home.addEnvironment(environment("late"), roots: [])
        try await shop.home.addMerchant(
            late, environments: [try EnvironmentName("late")], change: MerchantChange())
        let made = try await shop.home.request(.merchantIdentity, for: late, vault: shop.vault)
        let leaf = try shop.pki.identity(
            merchant: late.text, key: made.csr.publicKey, from: shop.clock.now)
        let imported = try await shop.home.importCertificate(
            SecretBytes(copying: leaf.der), keyFile: nil, kind: nil, for: late,
            vault: shop.vault)
        #expect(imported.credential.certificate?.issuerVerified == false)
        let anchors = [
            shop.pki.identityRoot.certificate, shop.pki.identityIntermediate.certificate,
        ]
        try await shop.home.addEnvironment(
            environment("later"), roots: anchors.map { Array($0.pem.utf8) })
        #expect(try await isVerified(made.credential.id, shop) == true)
        #expect(try await shop.acts().last == "certificate.issuer-verified")
    }

    @Test(.enabled(if: OutsideVectors.arePresent, "needs ../shared/vectors"))
    func `Apple's roots and their intermediates are admitted, and prove what is here`()
        async throws
    {
        let shop = try await Shop()
        let root = try Self.apple("AppleIncRootCertificate")
        let between = try Self.apple("AppleWWDRCAG3")
        // As good as any: a certificate that Apple's RSA root has issued.
        let genuine = try await insert(between, shop)
        await #expect(throws: TrustError.self) { _ = try await shop.home.admit([between]) }
        let change = try await shop.home.admit([between, root])
        #expect(change.certificates == [root, between])
        #expect(change.added == [root.sha256, between.sha256])
        #expect(change.verified == [genuine] && change.forged.isEmpty)
        #expect(try await isVerified(genuine, shop) == true)
        let acts = try await shop.acts().suffix(2)
        #expect(acts == ["trust.added", "certificate.issuer-verified"])
        // Again is the same as once, and a file that was lost comes back.
        let file = "\(shop.home.layout.anchors)/apple/\(root.sha256).pem"
        try DurableFile.remove(file)
        await #expect(throws: IssuanceError.anchorMissing("apple/\(root.sha256)")) {
            _ = try await shop.home.trust(of: .apple)
        }
        let again = try await shop.home.admit([root])
        #expect(again.added.isEmpty && again.verified.isEmpty)
        #expect(try FileStatus(file).isFile)
        #expect(try await shop.acts().suffix(2) == acts)
        let trust = try await shop.home.trust(of: .apple)
        #expect(trust.roots == [root] && trust.intermediates == [between])
    }

    @Test(.enabled(if: OutsideVectors.arePresent, "needs ../shared/vectors"))
    func `what bears Apple's name and is not Apple's is told`() async throws {
        let shop = try await Shop()
        let root = try Self.apple("AppleRootCA-G3")
        // Apple's own, but for one bit of the signature.
        var der = try Self.apple("AppleWWDRCAG2").der
        der[der.count - 1] ^= 1
        let forged = try Certificate(der: der)
        let error = await #expect(throws: TrustError.self) {
            _ = try await shop.home.admit([root, forged])
        }
        #expect(error?.code == "trust.not-issued")
        #expect(try await shop.home.trust(of: .apple).roots.isEmpty)
        // The same as a merchant's certificate, which came before the roots.
        let id = try await insert(forged, shop)
        let change = try await shop.home.admit([root])
        #expect(change.forged == [id] && change.verified.isEmpty)
        #expect(try await isVerified(id, shop) == false)
    }

    // MARK: - From Apple

    private func fetch(_ server: FileServer) async throws -> AppleDownloads.Fetched {
        var downloads = AppleDownloads()
        downloads.site = server.url
        downloads.trust = .bundle(pem: Array(server.authority.utf8))
        let loop = try TransferLoop()
        let outcome: Result<AppleDownloads.Fetched, any Error>
        do { outcome = .success(try await downloads.fetch(on: loop)) } catch {
            outcome = .failure(error)
        }
        await loop.shutDown()
        return try outcome.get()
    }

    @Test(.enabled(if: OutsideVectors.arePresent, "needs ../shared/vectors"))
    func `all are fetched, and an intermediate may be gone`() async throws {
        let shop = try await Shop()
        let whole = try await fetch(try await FileServer(Self.published))
        #expect(whole.certificates.count == 6 && whole.missing.isEmpty)
        #expect(try await shop.home.admit(whole.certificates).added.count == 6)
        var fewer = Self.published
        fewer[AppleRoot.intermediatePaths[0]] = nil
        let rest = try await fetch(try await FileServer(fewer))
        #expect(rest.certificates.count == 5)
        #expect(rest.missing == [AppleRoot.intermediatePaths[0]])
    }

    @Test(.enabled(if: OutsideVectors.arePresent, "needs ../shared/vectors"))
    func `another root in Apple's place is refused, and so is anything else`() async throws {
        let pki = try TestPKI(now: SystemClock().now)
        for (bytes, expected) in [
            (pki.processingRoot.certificate.der, "trust.other-served"),
            (Array("<html>hello</html>".utf8), "trust.other-served"),
            ([UInt8](repeating: 0x30, count: 100_000), "transfer.answer-too-large"),
        ] {
            var files = Self.published
            files[AppleRoot.g3.path] = bytes
            let server = try await FileServer(files)
            do {
                _ = try await fetch(server)
                Issue.record("it was taken")
            } catch let error as TrustError {
                #expect(error.code == expected)
            } catch let error as TransferError {
                #expect(error.code == expected)
            }
        }
        var files = Self.published
        files[AppleRoot.g2.path] = nil
        let server = try await FileServer(files)
        await #expect(throws: TrustError.notServed(AppleRoot.g2.path, status: 404)) {
            _ = try await fetch(server)
        }
    }
}
