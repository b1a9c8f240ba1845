import Clocks
import PKI
import Secrets
import TestSupport
import Testing

/// Identities of the stand-in for Apple whose issuer, a real responder, says that they are revoked.
@Suite struct RevocationTests {
    @Test func `a revoked identity is told by the watch and by check`() async throws {
        let port = FreePort.any()
        let lab = try await Lab(["--ocsp-url", "http://127.0.0.1:\(port)/ocsp"])
        let shop = Shop()
        try await lab.register(shop)
        let id = try await lab.activate(shop)
        let shown = try await lab.home.json("certificate", "show", id)
        let serial = try #require(shown["serialNumber"].text)
        let read = { (name: String) in lab.home.folder.read("apple/\(name).pem") }
        let responder = try OCSPResponder(
            for: Certificate(pem: read("identity-intermediate")),
            signing: Certificate(pem: read("identity-ocsp")),
            with: PrivateKey(pem: .init(copying: read("identity-ocsp-key"))))

        responder.tell(serialNumber: serial, .good)
        let good = try await responder.serve(onPort: port)
        try await lab.home.must("watch", "--once")
        #expect(try await lab.home.run("check").status != 2)
        try await good.stop()

        // The stand-in's gateway takes it still: it is the issuer that is asked.
        responder.tell(
            serialNumber: serial,
            .revoked(at: OCSPResponder.now.adding(days: -1), reason: "keyCompromise"))
        let revoked = try await responder.serve(onPort: port)
        // A certificate that was good is asked about hourly.
        try lab.home.forgetLooks()
        try await lab.home.must("watch", "--once")
        let check = try await lab.home.run("check")
        #expect(check.status == 2)
        #expect(check.text.contains("revoked"), "\(check.text)")
        try await revoked.stop()

        // Silence takes nothing back.
        try await lab.home.must("watch", "--once")
        #expect(try await lab.home.run("check").status == 2)
    }
}

extension TestHome {
    /// Makes everything due that the watch looks at.
    fileprivate func forgetLooks() throws {
        let done = try ForeignProcess.run(
            "sqlite3", ["-batch", "\(path)/purser.db", "DELETE FROM observations"])
        try #require(done.status == 0, "\(done.errorText)")
    }
}
