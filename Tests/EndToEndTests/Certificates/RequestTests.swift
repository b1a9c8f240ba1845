import TestSupport
import Testing

/// Keys and CSRs as `openssl` sees them.
@Suite(.twoAtATime) struct RequestTests {
    @Test(arguments: [
        ("merchant-identity", "Public-Key: (2048 bit)", "rsaEncryption"),
        // Named, not explicit parameters: Apple takes no other.
        ("payment-processing", "NIST CURVE: P-256", "ASN1 OID: prime256v1"),
        ("payment-processing-rsa", "Public-Key: (2048 bit)", "rsaEncryption"),
    ])
    func `openssl verifies the CSR of every kind`(
        kind: String, key: String, algorithm: String
    ) async throws {
        let home = try await TestHome()
        let shop = Shop()
        try await home.must("merchant", "add", shop.merchant)
        let printed = try await home.must("certificate", "request", shop.merchant, kind)
        let file = home.folder.file("request.csr")
        try await home.must("certificate", "request", shop.merchant, kind, "--out", file)
        let written = home.folder.read("request.csr")
        let told = try await home.json("certificate", "request", shop.merchant, kind)
        for csr in [printed, written, Array((told["csr"].text ?? "").utf8)] {
            let seen = try await tool(
                "openssl", ["req", "-verify", "-noout", "-text"], input: csr)
            #expect(seen.errorText.contains("verify OK"))
            #expect(seen.text.contains(key) && seen.text.contains(algorithm))
            #expect(
                seen.text.contains("Signature Algorithm: ") && seen.text.contains("sha256")
                    || seen.text.contains("SHA256"))
            let subject = try await tool("openssl", ["req", "-noout", "-subject"], input: csr)
            #expect(subject.text.contains(shop.merchant))
        }
        // A pending key is never overwritten: three requests are three keys.
        let waiting = try await home.json("certificate", "list", shop.merchant)
        #expect(waiting.elements.map { $0["state"] } == ["requested", "requested", "requested"])
        #expect(Set(waiting.elements.compactMap { $0["publicKeyHash"].text }).count == 3)
    }

    @Test func `a CSR that cannot be written leaves no file, and its key is kept`() async throws {
        let home = try await TestHome()
        let shop = Shop()
        try await home.must("merchant", "add", shop.merchant)
        let taken = home.folder.write("taken.csr", Array("mine\n".utf8))
        let (status, code) = try await home.refusal(
            "certificate", "request", shop.merchant, "merchant-identity", "--out", taken)
        #expect(status == 73 && code != nil)
        #expect(home.folder.read("taken.csr") == Array("mine\n".utf8))
        #expect(try await home.json("certificate", "list", shop.merchant).elements.isEmpty)
    }
}
