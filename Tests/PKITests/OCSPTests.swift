import Clocks
import PKI
import TestSupport
import Testing

/// Answers are `openssl ocsp`'s, made now: the tests move the moment at which they are judged.
@Suite struct OCSPTests {
    let pki: TestPKI
    let leaf: Certificate
    let issuer: TestPKI.Authority
    let now = OCSPResponder.now

    init() throws {
        pki = try TestPKI(now: now)
        issuer = pki.identityIntermediate
        leaf = try pki.identity(
            merchant: "merchant.com.example.shop", key: TestPKI.sharedKey(.rsa2048).publicKey)
    }

    private func query(withNonce: Bool = true) throws -> OCSPQuery {
        try OCSPQuery(about: leaf, issuedBy: issuer.certificate, withNonce: withNonce)
    }

    private func ask(
        _ responder: OCSPResponder, options: [String] = [], later seconds: Int64 = 0
    ) throws -> OCSPAnswer {
        let query = try query()
        return try query.answer(
            in: responder.answer(query.der, options),
            at: OCSPResponder.now.adding(seconds: seconds))
    }

    private func failure(
        _ responder: OCSPResponder, options: [String] = [], later seconds: Int64 = 0
    ) -> String? {
        #expect(throws: OCSPError.self) {
            try ask(responder, options: options, later: seconds)
        }?.code
    }

    /// A responder whose index says that the leaf is good.
    private func responder(
        signing: Certificate? = nil, with key: PrivateKey? = nil
    ) throws -> OCSPResponder {
        let responder = try OCSPResponder(
            for: issuer.certificate, signing: signing ?? issuer.certificate,
            with: key ?? issuer.key)
        responder.tell([(leaf, .good)])
        return responder
    }

    // MARK: - The request

    @Test func `openssl reads the request`() throws {
        let query = try query()
        let folder = TemporaryFolder()
        let shown = try ForeignProcess.run(
            "openssl",
            ["ocsp", "-reqin", folder.write("request", query.der), "-req_text", "-noverify"])
        #expect(shown.text.contains("Hash Algorithm: sha1"))
        #expect(shown.text.contains("Serial Number: \(leaf.serialNumber)"))
        #expect(shown.text.contains("OCSP Nonce"))
        #expect(try !self.query(withNonce: false).der.contains(query.der.suffix(16)))
    }

    @Test func `nobody but the issuer is asked`() throws {
        for other in [pki.identityRoot, pki.stranger, pki.processingIntermediate] {
            let error = #expect(throws: OCSPError.self) {
                try OCSPQuery(about: leaf, issuedBy: other.certificate)
            }
            #expect(error == .notTheIssuer)
        }
    }

    @Test func `addresses are read from the certificate`() throws {
        #expect(leaf.issuersURLs.isEmpty)
        var template = CertificateTemplate(
            subject: .init(commonName: "with both"),
            publicKey: try TestPKI.sharedKey(.ecP256).publicKey, notBefore: now, notAfter: now)
        template.ocspURL = "http://ocsp.test.invalid/a"
        template.issuersURL = "http://certs.test.invalid/ca.cer"
        let both = try template.issue(issuer: issuer.certificate, issuerKey: issuer.key)
        #expect(both.ocspURLs == ["http://ocsp.test.invalid/a"])
        #expect(both.issuersURLs == ["http://certs.test.invalid/ca.cer"])
    }

    // MARK: - What is said

    @Test func `good, with and without an end`() throws {
        let open = try ask(responder())
        #expect(open.standing == .good)
        #expect(open.nextUpdate == nil)
        let ended = try ask(responder(), options: ["-nmin", "30"])
        #expect(ended.standing == .good)
        #expect(ended.nextUpdate == ended.thisUpdate.adding(seconds: 1_800))
    }

    @Test func `revoked, with the time and the reason`() throws {
        let responder = try responder()
        let moment = now.adding(days: -2)
        responder.tell([(leaf, .revoked(at: moment, reason: "keyCompromise"))])
        let answer = try ask(responder)
        #expect(answer.standing == .revoked(at: moment, reason: .keyCompromise))
    }

    @Test func `unknown, where the index does not have it`() throws {
        let responder = try responder()
        responder.tell([])
        #expect(try ask(responder).standing == .unknown)
    }

    @Test func `an answer without the nonce is put up with, another nonce is not`() throws {
        let responder = try responder()
        let without = try query(withNonce: false)
        let answer = try responder.answer(without.der)
        #expect(try query().answer(in: answer, at: now).standing == .good)
        let other = try responder.answer(query().der)
        let error = #expect(throws: OCSPError.self) { try query().answer(in: other, at: now) }
        #expect(error == .nonceDiffers)
    }

    @Test func `an answer about another certificate says nothing`() throws {
        let other = try pki.identity(
            merchant: "merchant.other", key: TestPKI.sharedKey(.rsa2048).publicKey)
        let responder = try responder()
        responder.tell([(leaf, .good), (other, .good)])
        let answer = try responder.answer(
            OCSPQuery(about: other, issuedBy: issuer.certificate, withNonce: false).der)
        let error = #expect(throws: OCSPError.self) { try query().answer(in: answer, at: now) }
        #expect(error == .otherCertificate)
    }

    // MARK: - When

    @Test func `times are judged at the moment given, clocks may differ by five minutes`() throws {
        let minute = try responder()
        let end = ["-nmin", "10"]
        #expect(try ask(minute, options: end, later: -290).standing == .good)
        #expect(failure(minute, options: end, later: -330) == "ocsp.from-the-future")
        #expect(try ask(minute, options: end, later: 890).standing == .good)
        #expect(failure(minute, options: end, later: 930) == "ocsp.outdated")
        // Without an end: a day.
        #expect(try ask(minute, later: 86_600).standing == .good)
        #expect(failure(minute, later: 86_800) == "ocsp.outdated")
    }

    // MARK: - Who signed

    @Test func `a delegate of the issuer may sign, named by name or by key`() throws {
        let key = try TestPKI.sharedKey(.ecP256)
        let delegate = try pki.responder(under: issuer, key: key.publicKey)
        let responder = try responder(signing: delegate, with: key)
        #expect(try ask(responder).standing == .good)
        #expect(try ask(responder, options: ["-resp_key_id"]).standing == .good)
        #expect(failure(responder, options: ["-resp_no_certs"]) == "ocsp.signer-unknown")
    }

    @Test func `the issuer's own certificate need not be in the answer`() throws {
        #expect(try ask(responder(), options: ["-resp_no_certs"]).standing == .good)
    }

    @Test func `a delegate without the right, out of date, or of another issuer is refused`() throws
    {
        let key = try TestPKI.sharedKey(.ecP256)
        let delegates = try [
            pki.responder(under: issuer, key: key.publicKey, usage: nil),
            pki.responder(under: issuer, key: key.publicKey, usage: OID.clientAuth),
            pki.responder(
                under: issuer, key: key.publicKey, from: now.adding(days: -40), days: 30),
            pki.responder(under: pki.identityRoot, key: key.publicKey),
            pki.responder(under: pki.stranger, key: key.publicKey),
        ]
        for delegate in delegates {
            let responder = try responder(signing: delegate, with: key)
            #expect(failure(responder) == "ocsp.signer-not-allowed", "\(delegate)")
        }
    }

    @Test func `a leaf of the same issuer cannot answer for it`() throws {
        let key = try TestPKI.sharedKey(.rsa2048)
        #expect(
            failure(try responder(signing: leaf, with: key)) == "ocsp.signer-not-allowed")
    }

    @Test func `a wrong signature and a weak one are refused`() throws {
        #expect(failure(try responder(), options: ["-badsig"]) != nil)
        #expect(failure(try responder(), options: ["-rmd", "sha1"]) == "ocsp.weak-signature")
        let query = try query()
        let answer = try responder().answer(query.der, ["-resp_no_certs"])
        // The signature is the last of what is there.
        var changed = answer
        changed[changed.count - 1] ^= 1
        let error = #expect(throws: OCSPError.self) { try query.answer(in: changed, at: now) }
        #expect(error?.code == "ocsp.signature-invalid")
    }

    // MARK: - What is none

    @Test(arguments: zip([1, 2, 3, 5, 6], OCSPError.Refusal.allCases))
    func `a responder's refusal is told`(_ status: Int, _ refusal: OCSPError.Refusal) throws {
        let bytes: [UInt8] = [0x30, 0x03, 0x0A, 0x01, UInt8(status)]
        let error = #expect(throws: OCSPError.self) { try query().answer(in: bytes, at: now) }
        #expect(error == .refused(refusal))
    }

    @Test func `any byte changed, cut off or added is noticed`() throws {
        let query = try query()
        let answer = try responder().answer(query.der, ["-resp_no_certs"])
        _ = try query.answer(in: answer, at: now)
        for index in stride(from: 0, to: answer.count, by: 3) {
            var changed = answer
            changed[index] ^= 0x55
            #expect(throws: OCSPError.self, "byte \(index)") {
                try query.answer(in: changed, at: now)
            }
            #expect(throws: OCSPError.self) {
                try query.answer(in: Array(answer[..<index]), at: now)
            }
        }
        #expect(throws: OCSPError.self) { try query.answer(in: answer + [0], at: now) }
        let large = [UInt8](repeating: 0x30, count: OCSPQuery.sizeLimit + 1)
        let error = #expect(throws: OCSPError.self) { try query.answer(in: large, at: now) }
        #expect(error == .answerTooLarge(limit: OCSPQuery.sizeLimit))
        for other: [UInt8] in [[], [0x30, 0x03, 0x0A, 0x01, 4], Array("<html>".utf8), query.der] {
            #expect(throws: OCSPError.self) { try query.answer(in: other, at: now) }
        }
    }

    @Test(arguments: OCSPError.examples)
    func `every error says what to do, on one line`(_ error: OCSPError) {
        #expect(!error.summary.isEmpty && error.summary.count <= 120)
        #expect(!error.remedy.isEmpty && error.remedy.count <= 120)
        #expect(!"\(error)".contains("\n"))
    }
}
