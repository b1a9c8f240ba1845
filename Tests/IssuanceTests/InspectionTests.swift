import Clocks
import Issuance
import Merchants
import PKI
import Secrets
import TestSupport
import Testing

@Suite struct InspectionTests {
    let now = Timestamp(seconds: 1_800_000_000)
    let pki: TestPKI
    let key: PrivateKey

    init() throws {
        pki = try TestPKI(now: now)
        key = try TestPKI.sharedKey(.rsa2048)
    }

    private func inspect(_ certificates: [Certificate], key: PrivateKey? = nil) throws -> Inspection
    {
        let text =
            try certificates.map(\.pem).joined() + (key?.pkcs8PEM().revealedText ?? "")
        return Inspection(
            ForeignReader().survey(SecretBytes(copying: text.utf8)), now: now)
    }

    @Test func `a certificate is told by its own fields`() throws {
        let leaf = try pki.identity(merchant: "merchant.a", key: key.publicKey)
        let inspection = try inspect([pki.identityIntermediate.certificate, leaf], key: key)
        let finding = try #require(inspection.findings.last)
        #expect(finding.kind == .merchantIdentity && finding.fault == nil)
        #expect(finding.merchant == "merchant.a" && finding.hashFits == true)
        #expect(finding.hasKey)
        #expect(finding.issuer == pki.identityIntermediate.certificate)
        #expect(inspection.findings.first?.fault == .isCA)
    }

    @Test func `what an import would refuse is named`() throws {
        let hash = try pki.identity(
            merchant: "merchant.a", key: key.publicKey, flaws: [.otherMerchantHash])
        #expect(try inspect([hash]).findings.first?.hashFits == false)
        let old = try pki.identity(
            merchant: "merchant.a", key: key.publicKey, from: now.adding(days: -800), days: 760)
        #expect(try inspect([old]).findings.first?.fault == .expired(old.notAfter))
        let ec = try TestPKI.sharedKey(.ecP256)
        let wrong = try pki.identity(merchant: "merchant.a", key: ec.publicKey)
        #expect(
            try inspect([wrong]).findings.first?.fault
                == .wrongKey("EC P-256", kind: .merchantIdentity))
    }

    @Test func `a published key draws a warning`() throws {
        guard OutsideVectors.arePresent else { return }
        let bytes = OutsideVectors.read("p12/signer.p12")
        let contents = ForeignReader(passwords: [SecretBytes(copying: "12345".utf8)])
            .survey(SecretBytes(copying: bytes))
        #expect(
            Inspection(contents, now: now).warnings.contains { $0.contains("OpenSSL's test suite") }
        )
    }
}
