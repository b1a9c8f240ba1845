import AppleSimulator
import Merchants
import PKI
import TestSupport
import Testing

@Suite struct PortalTests {
    private func sign(
        _ bench: SimulatorBench, _ algorithm: KeyAlgorithm, _ kind: CredentialKind
    ) throws -> Certificate {
        let key =
            try algorithm == .rsa2048 || algorithm == .ecP256
            ? TestPKI.sharedKey(algorithm) : PrivateKey.generate(algorithm)
        return try Certificate(
            der: bench.simulator.portal.sign(
                csr: try SimulatorBench.csr(key), merchant: SimulatorBench.shop, kind: kind))
    }

    private func words(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "no refusal"
        } catch let error as SimulatorError {
            return error.portalWords ?? "not in the portal's words"
        } catch {
            return "\(error)"
        }
    }

    @Test func `a key of the wrong sort is refused in Apple's words`() throws {
        let bench = try SimulatorBench()
        #expect(
            words { _ = try sign(bench, .ecP256, .merchantIdentity) }
                == "CSR algorithm/size incorrect. Expected: RSA(2048)")
        #expect(
            words { _ = try sign(bench, .rsa2048, .paymentProcessing) }
                == "CSR algorithm/size incorrect. Expected: ECDSA(256)")
        #expect(
            words { _ = try sign(bench, .ecP256, .paymentProcessingRSA) }
                == "CSR algorithm/size incorrect. Expected: RSA(2048)")
    }

    @Test func `a request that is none, or not signed by its key, is refused`() throws {
        let bench = try SimulatorBench()
        let portal = bench.simulator.portal
        let key = try TestPKI.sharedKey(.rsa2048)
        var der = try CertificateSigningRequest.make(
            subject: .init(commonName: "x"), key: key
        ).der
        der[der.count - 1] ^= 1
        #expect(
            words {
                _ = try portal.sign(
                    csr: der, merchant: SimulatorBench.shop, kind: .merchantIdentity)
            } == "Invalid Certificate Signing Request: its signature does not verify")
        for junk in [[], Array("junk".utf8), [0x30, 0x03, 0x02, 0x01, 0x00]] as [[UInt8]] {
            #expect(
                words {
                    _ = try portal.sign(
                        csr: junk, merchant: SimulatorBench.shop, kind: .merchantIdentity)
                }.hasPrefix("Invalid Certificate Signing Request: it"))
        }
        #expect(
            words {
                _ = try portal.sign(
                    csr: try SimulatorBench.csr(key), merchant: "merchant.none",
                    kind: .merchantIdentity)
            }.contains("no merchant ID"))
    }

    @Test func `three identities, then no more until one is revoked or expires`() throws {
        let bench = try SimulatorBench()
        let first = try sign(bench, .rsa2048, .merchantIdentity)
        for _ in 0..<2 { _ = try sign(bench, .rsa2048, .merchantIdentity) }
        #expect(
            words { _ = try sign(bench, .rsa2048, .merchantIdentity) }.contains("already have 3"))
        try bench.simulator.portal.revoke(serialNumber: first.serialNumber)
        _ = try sign(bench, .rsa2048, .merchantIdentity)
        #expect(
            words { _ = try sign(bench, .rsa2048, .merchantIdentity) }.contains("already have 3"))
        bench.clock.advance(days: 761)
        _ = try sign(bench, .rsa2048, .merchantIdentity)
    }

    @Test func `of two processing certificates one is active, and activation is for good`() throws {
        let bench = try SimulatorBench()
        let portal = bench.simulator.portal
        let first = try sign(bench, .ecP256, .paymentProcessing)
        let second = try sign(bench, .ecP256, .paymentProcessing)
        #expect(portal.certificates(of: SimulatorBench.shop).map(\.isActive) == [true, false])
        #expect(
            words { _ = try sign(bench, .ecP256, .paymentProcessing) }.contains("already have 2"))
        // The sort for mainland China counts by itself.
        _ = try sign(bench, .rsa2048, .paymentProcessingRSA)
        try portal.activate(serialNumber: second.serialNumber.lowercased())
        try portal.activate(serialNumber: second.serialNumber)
        #expect(portal.certificates().map(\.isActive) == [false, true, true])
        #expect(
            words { try portal.activate(serialNumber: first.serialNumber) }
                .contains("cannot be undone"))
    }

    @Test func `revoking the active processing certificate activates the spare one`() throws {
        let bench = try SimulatorBench()
        let portal = bench.simulator.portal
        let first = try sign(bench, .ecP256, .paymentProcessing)
        let second = try sign(bench, .ecP256, .paymentProcessing)
        try portal.revoke(serialNumber: first.serialNumber)
        #expect(portal.certificates().map(\.isActive) == [false, true])
        #expect(words { try portal.revoke(serialNumber: first.serialNumber) }.contains("revoked"))
        #expect(words { try portal.activate(serialNumber: first.serialNumber) }.contains("revoked"))
        #expect(words { try portal.revoke(serialNumber: "00") }.contains("no certificate"))
        try portal.revoke(serialNumber: second.serialNumber)
        let identity = try sign(bench, .rsa2048, .merchantIdentity)
        #expect(
            words { try portal.activate(serialNumber: identity.serialNumber) }
                .contains("no payment processing"))
    }

    @Test func `every error has a code, a remedy and nothing secret`() {
        for error in SimulatorError.examples {
            #expect(error.code.hasPrefix("simulator."))
            #expect(!error.remedy.isEmpty)
            #expect(!error.summary.hasSuffix("."))
            #expect(error.summary.first?.isUppercase == false)
            #expect(error.summary.count <= 120)
            #expect(!error.summary.contains("BEGIN"))
        }
        #expect(Set(SimulatorError.examples.map(\.code)).count == SimulatorError.examples.count)
    }
}
