import Clocks
import PKI
import Secrets
import TestSupport

/// Apple's part played in this process: signs CSRs at once, for tests that make many.
struct TestIssuer: Sendable {
    private let pki: TestPKI

    init() throws {
        pki = try TestPKI(now: SystemClock().now)
    }

    /// Makes the environment `lab` known to a home, with a gateway that nobody listens at.
    func introduce(to home: TestHome) async throws {
        try await home.must(
            ["environment", "add", "lab", "--gateway", "https://localhost:1"] + anchorFlags(home))
    }

    /// The flags that name the authorities, whose files are written beside the home.
    func anchorFlags(_ home: TestHome) -> [String] {
        [
            pki.identityRoot, pki.identityIntermediate, pki.processingRoot,
            pki.processingIntermediate,
        ]
        .enumerated().flatMap { index, authority in
            [
                "--apple-root",
                home.folder.write("anchor-\(index).pem", Array(authority.certificate.pem.utf8)),
            ]
        }
    }

    /// The certificate (DER) for a CSR.
    func certify(_ csr: [UInt8], _ merchant: String, _ kind: String) throws -> [UInt8] {
        let key = try CertificateSigningRequest(pem: csr).publicKey
        return try certificate(for: key, merchant, kind).der
    }

    /// A key made elsewhere with its certificate, both in one PEM file.
    func pair(_ merchant: String, _ kind: String) throws -> [UInt8] {
        let key = try PrivateKey.generate(kind == "merchant-identity" ? .rsa2048 : .ecP256)
        let certificate = try certificate(for: key.publicKey, merchant, kind)
        return Array(certificate.pem.utf8) + (try key.pkcs8PEM()).revealed
    }

    private func certificate(
        for key: PublicKey, _ merchant: String, _ kind: String
    ) throws -> Certificate {
        kind == "merchant-identity"
            ? try pki.identity(merchant: merchant, key: key)
            : try pki.processing(merchant: merchant, key: key)
    }
}
