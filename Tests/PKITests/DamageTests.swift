import PKI
import Secrets
import TestSupport
import Testing

/// Every reader against bytes that were cut off or changed: it may refuse, and must not crash.
@Suite struct DamageTests {
    enum Sample: String, CaseIterable, Sendable {
        case certificate, certificatePEM, request, rsaKey, ecKey, keyPEM, bundle, message
    }

    static let password = SecretBytes(copying: "x".utf8)

    private func bytes(of sample: Sample) throws -> [UInt8] {
        let pki = try TestPKI(now: TestTimes.now)
        let (rsa, ec) = try (TestPKI.sharedKey(.rsa2048), TestPKI.sharedKey(.ecP256))
        let leaf = try pki.processing(merchant: "merchant.a", key: ec.publicKey)
        switch sample {
        case .certificate: return leaf.der
        case .certificatePEM: return Array(leaf.pem.utf8)
        case .request:
            return try CertificateSigningRequest.make(subject: leaf.subject, key: ec).der
        case .rsaKey: return try rsa.pkcs8DER().revealed
        case .ecKey: return try ec.pkcs8DER().revealed
        case .keyPEM: return try ec.pkcs8PEM().revealed
        case .bundle:
            return try PKCS12.make(
                key: ec, certificate: leaf, friendlyName: "name", password: Self.password,
                iterations: 1)
        case .message:
            return try CMS.signDetached(
                content: [1], certificate: leaf, chain: [], key: ec, at: pki.now)
        }
    }

    /// Gives `bytes` to everything that reads bytes; counts what was accepted.
    private func readAll(_ bytes: [UInt8]) -> Int {
        let secret = SecretBytes(copying: bytes)
        var accepted = 0
        func attempt(_ read: () throws -> Void) {
            do {
                try read()
                accepted += 1
            } catch {
                let known = error is PKIError
                #expect(known, "\(type(of: error))")
            }
        }
        attempt {
            let certificate = try Certificate(der: bytes)
            _ = "\(certificate) \(certificate.issuer)"
            let store = TrustStore(roots: [certificate])
            _ = store.verify(certificate, intermediates: [certificate], at: TestTimes.now)
        }
        attempt { _ = try Certificate(pem: bytes) }
        attempt { _ = try CertificateSigningRequest(der: bytes).verifySignature() }
        attempt { _ = try CertificateSigningRequest(pem: bytes) }
        attempt { _ = try PrivateKey(der: secret) }
        attempt { _ = try PrivateKey(pem: secret) }
        attempt { _ = try PublicKey(subjectPublicKeyInfo: bytes) }
        attempt { _ = try PKCS12.open(bytes, password: Self.password, iterationLimit: 10_000) }
        attempt { _ = try CMS.verifyDetached(bytes, content: [1]) }
        _ = ForeignShape.recognise(bytes).description
        return accepted
    }

    @Test(arguments: Sample.allCases)
    func `cut off or changed at every seventh byte, it is refused or read`(
        _ sample: Sample
    ) throws {
        let whole = try bytes(of: sample)
        #expect(readAll(whole) >= 1)
        for offset in stride(from: 0, to: whole.count, by: 7) {
            let cut = Array(whole[..<offset])
            #expect(readAll(cut) == 0, "cut at \(offset)")
            var changed = whole
            changed[offset] ^= 1 << UInt8(offset % 8)
            _ = readAll(changed)
            changed[offset] = 0xFF
            _ = readAll(changed)
        }
    }
}
