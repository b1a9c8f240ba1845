import Clocks
import PKI
import TestSupport
import Testing

@Suite struct TrustStoreTests {
    let pki: TestPKI
    let merchant = "merchant.com.example.shop"
    let folder = TemporaryFolder()

    init() throws {
        pki = try TestPKI(now: TestTimes.now)
    }

    private func identity(_ flaws: Set<TestPKI.Flaw> = []) throws -> Certificate {
        try pki.identity(
            merchant: merchant, key: TestPKI.sharedKey(.rsa2048).publicKey, flaws: flaws)
    }

    private func verify(
        _ leaf: Certificate, at moment: Timestamp = TestTimes.now
    ) -> ChainVerdict {
        pki.trust.verify(leaf, intermediates: pki.intermediates, at: moment)
    }

    @Test func `both kinds chain to their roots, at openssl too`() throws {
        let leaves = try [
            identity(),
            pki.processing(merchant: merchant, key: TestPKI.sharedKey(.ecP256).publicKey),
        ]
        let tops = [
            [pki.identityIntermediate.certificate, pki.identityRoot.certificate],
            [pki.processingIntermediate.certificate, pki.processingRoot.certificate],
        ]
        let roots = folder.write("roots.pem", Array(pki.trust.roots.map(\.pem).joined().utf8))
        let others = folder.write("others.pem", Array(pki.intermediates.map(\.pem).joined().utf8))
        for (leaf, top) in zip(leaves, tops) {
            #expect(verify(leaf) == .verified(chain: [leaf] + top))
            let foreign = try ForeignProcess.run(
                "openssl",
                [
                    "verify", "-attime", "\(TestTimes.now.seconds)", "-CAfile", roots,
                    "-untrusted", others,
                ], input: Array(leaf.pem.utf8))
            #expect(foreign.status == 0, "\(foreign.errorText)")
        }
    }

    @Test func `without the intermediate, or from a stranger, the issuer is unknown`() throws {
        let leaf = try identity()
        #expect(pki.trust.verify(leaf, intermediates: [], at: pki.now) == .issuerUnknown)
        let empty = TrustStore(roots: [])
        #expect(empty.verify(leaf, intermediates: pki.intermediates, at: pki.now) == .issuerUnknown)
        #expect(try verify(identity([.unknownIssuer])).isVerified == false)
        let stranger = pki.stranger.certificate
        #expect(verify(stranger) == .issuerUnknown)
    }

    @Test func `dates are judged at the moment given`() throws {
        let leaf = try identity()
        #expect(verify(leaf, at: leaf.notBefore).isVerified)
        // OpenSSL counts the last second as expired already.
        #expect(verify(leaf, at: leaf.notAfter.adding(seconds: -1)).isVerified)
        #expect(
            verify(leaf, at: leaf.notAfter.adding(seconds: 1))
                == .invalid(reason: "certificate has expired"))
        #expect(
            verify(leaf, at: leaf.notBefore.adding(seconds: -1))
                == .invalid(reason: "certificate is not yet valid"))
    }

    @Test func `a changed certificate is invalid`() throws {
        let leaf = try identity()
        var der = leaf.der
        der[der.count - 20] ^= 1
        let verdict = try verify(Certificate(der: der))
        #expect(verdict == .invalid(reason: "certificate signature failure"))
    }

    @Test func `an intermediate may itself be the anchor`() throws {
        let leaf = try identity()
        let store = TrustStore(roots: [pki.identityIntermediate.certificate])
        let verdict = store.verify(leaf, intermediates: [], at: pki.now)
        #expect(verdict == .verified(chain: [leaf, pki.identityIntermediate.certificate]))
    }

    @Test func `a leaf may not issue`() throws {
        let key = try TestPKI.sharedKey(.rsa2048)
        let leaf = try identity()
        let below = try CertificateTemplate(
            subject: .init(commonName: "below"), publicKey: key.publicKey, notBefore: pki.now,
            notAfter: pki.now.adding(days: 1)
        ).issue(issuer: leaf, issuerKey: key)
        let verdict = pki.trust.verify(
            below, intermediates: [leaf] + pki.intermediates, at: pki.now)
        #expect(!verdict.isVerified)
    }

    @Test func `Apple's critical extensions pass, others do not`() throws {
        let apple = try identity([.critical(oid: "1.2.840.113635.100.6.29")])
        #expect(apple.unhandledCriticalExtensions == ["1.2.840.113635.100.6.29"])
        #expect(verify(apple).isVerified)
        let unknown = try identity([.critical(oid: "1.2.3.4")])
        #expect(verify(unknown) == .invalid(reason: "unhandled critical extension"))
        let both = try identity([
            .critical(oid: "1.2.840.113635.100.6.29"), .critical(oid: "1.2.3.4"),
        ])
        #expect(!verify(both).isVerified)
        // Not in the arc, though it begins with the same digits.
        let near = try identity([.critical(oid: "1.2.840.113635.100.60")])
        #expect(!verify(near).isVerified)
    }

    @Test func `an extension that cannot be read, or stands there twice, is invalid`() throws {
        let key = try TestPKI.sharedKey(.rsa2048)
        var template = CertificateTemplate(
            subject: .init(commonName: "x"), publicKey: key.publicKey, notBefore: pki.now,
            notAfter: pki.now.adding(days: 1))
        for value in [DER.bitString([0]), [0xFF, 0xFF, 0xFF]] {
            template.keyUsage = value[0] == 0xFF ? [] : [.digitalSignature]
            template.extraExtensions = [.init(oid: OID.keyUsage, value: value)]
            let certificate = try template.issue(
                issuer: pki.identityIntermediate.certificate,
                issuerKey: pki.identityIntermediate.key)
            #expect(certificate.hasMalformedExtensions)
            #expect(!verify(certificate).isVerified)
        }
    }

    @Test(.enabled(if: OutsideVectors.arePresent, "needs ../shared/vectors"))
    func `Apple's own certificates chain to Apple's roots`() throws {
        func load(_ name: String) throws -> Certificate {
            try Certificate(der: OutsideVectors.read("apple-roots/\(name).cer"))
        }
        let roots = try ["AppleIncRootCertificate", "AppleRootCA-G2", "AppleRootCA-G3"].map(load)
        #expect(
            roots.map(\.sha256) == [
                "b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024",
                "c2b9b042dd57830e7d117dac55ac8ae19407d38e41d88f3215bc3a890444a050",
                "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179",
            ])
        #expect(roots.allSatisfy { $0.isCA && $0.isSelfSigned })
        let store = TrustStore(roots: roots)
        for (name, root) in [
            ("AppleWWDRCAG3", roots[0]), ("AppleWWDRCAG2", roots[2]), ("AppleWWDRCAG6", roots[2]),
            ("AppleAAICAG3", roots[2]),
        ] {
            let intermediate = try load(name)
            #expect(
                store.verify(intermediate, intermediates: [], at: TestTimes.now)
                    == .verified(chain: [intermediate, root]), "\(name)")
        }
        for root in roots {
            #expect(
                store.verify(root, intermediates: [], at: TestTimes.now)
                    == .verified(chain: [root]))
        }
        #expect(try load("AppleAAICAG3").extensionValue("1.2.840.113635.100.6.2.14") == DER.null)
    }
}
