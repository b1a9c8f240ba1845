import Clocks
import PKI
import Secrets
import TestSupport
import Testing

@Suite struct CertificateTests {
    let pki: TestPKI

    init() throws {
        pki = try TestPKI(now: TestTimes.now)
    }

    @Test func `an identity certificate tells everything Apple puts into it`() throws {
        let key = try TestPKI.sharedKey(.rsa2048)
        let leaf = try pki.identity(merchant: "merchant.com.example.shop", key: key.publicKey)
        #expect(leaf.subject.userID == "merchant.com.example.shop")
        #expect(leaf.subject.commonName == "Apple Pay Merchant Identity:merchant.com.example.shop")
        #expect(leaf.subject.organizationalUnit == "TEAM123456")
        #expect(leaf.subject.country == nil)
        #expect(leaf.keyUsage == [.digitalSignature])
        #expect(leaf.extendedKeyUsage == [OID.clientAuth])
        #expect(leaf.extensionValue(OID.appleMerchantIdentity) == [0x05, 0x00])
        #expect(leaf.extensionValue(OID.appleMerchantHash)?.prefix(2) == [0x0C, 0x40])
        #expect(leaf.ocspURLs == ["http://ocsp.test.invalid/ocsp03-wwdr"])
        #expect(leaf.publicKey == key.publicKey)
        #expect(!leaf.isCA)
        #expect(!leaf.isSelfSigned)
        #expect(leaf.signatureAlgorithm == "sha256WithRSAEncryption")
        #expect(leaf.issuer == pki.identityIntermediate.certificate.subject)
        #expect(leaf.notAfter.days(since: leaf.notBefore) == 760)
    }

    @Test func `both kinds chain to their roots`() throws {
        for leaf in try [
            pki.identity(
                merchant: "merchant.a", key: TestPKI.sharedKey(.rsa2048).publicKey),
            pki.processing(merchant: "merchant.a", key: TestPKI.sharedKey(.ecP256).publicKey),
        ] {
            let verdict = pki.trust.verify(leaf, intermediates: pki.intermediates, at: pki.now)
            guard case .verified(let chain) = verdict else {
                Issue.record("\(verdict)")
                continue
            }
            #expect(chain.count == 3)
        }
    }
}

enum TestTimes {
    /// 2026-03-01T08:00:00Z, the moment around which the tests' certificates are minted.
    static let now = Timestamp(seconds: 1_772_352_000)
}
