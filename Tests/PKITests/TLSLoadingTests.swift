import PKI
import Secrets
import TestSupport
import Testing

@Suite struct TLSLoadingTests {
    let pki: TestPKI

    init() throws {
        pki = try TestPKI(now: TestTimes.now)
    }

    @Test func `a certificate loads with its key and chain`() throws {
        let key = try TestPKI.sharedKey(.rsa2048)
        let leaf = try pki.identity(merchant: "merchant.a", key: key.publicKey)
        try leaf.loadIntoTLS(chain: [pki.identityIntermediate.certificate], key: key)
        try leaf.loadIntoTLS(chain: [], key: key)
    }

    @Test func `another key does not fit`() throws {
        let leaf = try pki.identity(
            merchant: "merchant.a", key: TestPKI.sharedKey(.rsa2048).publicKey)
        #expect(throws: PKIError.keyDoesNotFit) {
            try leaf.loadIntoTLS(chain: [], key: TestPKI.sharedKey(.ecP256))
        }
        #expect(throws: PKIError.keyDoesNotFit) {
            try leaf.loadIntoTLS(chain: [], key: PrivateKey.generate(.rsa2048))
        }
    }

    @Test func `a key below the security level is refused with OpenSSL's reason`() throws {
        let made = try ForeignProcess.run("openssl", ["genrsa", "1024"])
        let key = try PrivateKey(pem: .init(copying: made.output))
        // TLS at level 2, Debian's default, asks for 2048 bits.
        let weak = try pki.identity(merchant: "merchant.a", key: key.publicKey)
        let error = #expect(throws: PKIError.self) {
            try weak.loadIntoTLS(chain: [], key: key)
        }
        #expect(error?.code == "pki.refused-by-tls")
        #expect(error.map { "\($0.cause.map { "\($0)" } ?? "")" } == "OpenSSL: ee key too small")
    }
}
