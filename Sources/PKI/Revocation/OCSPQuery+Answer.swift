internal import COpenSSL
package import Clocks

extension OCSPQuery {
    /// The most bytes that are read as one answer; usual ones have some 2,000.
    package static let sizeLimit = 65_536
    /// How far clocks may differ, in seconds.
    package static let tolerance: Int64 = 300
    /// How old an answer may be that names no end, in seconds.
    ///
    /// Such a responder has newer information at all times (RFC 6960 §2.4): an old answer is one
    /// that is played again.
    package static let freshness: Int64 = 86_400

    /// Reads an OCSPResponse (DER) and checks that it is the issuer's answer to this question,
    /// current at `moment`.
    ///
    /// It must be signed by the issuer, or by who was given the right by it: a certificate in the
    /// answer, issued by the issuer's own key with extended key usage OCSPSigning, and valid (RFC
    /// 6960 §4.2.2.2). Whether that one is revoked is not asked. A nonce that is missing is put up
    /// with, another nonce is not.
    ///
    /// - Throws: ``OCSPError``.
    package func answer(
        in response: [UInt8], at moment: Timestamp
    ) throws(OCSPError) -> OCSPAnswer {
        guard response.count <= Self.sizeLimit else {
            throw .answerTooLarge(limit: Self.sizeLimit)
        }
        OpenSSLReasons.forget()
        defer { OpenSSLReasons.forget() }
        let (parsed, used) = unsafe decoded(response) { unsafe d2i_OCSP_RESPONSE(nil, $0, $1) }
        guard let parsed = unsafe parsed else {
            throw .malformedAnswer("it cannot be read", .drain())
        }
        defer { unsafe OCSP_RESPONSE_free(parsed) }
        guard used == response.count else {
            throw .malformedAnswer("more follows behind it", .drain())
        }
        let status = Int(unsafe OCSP_response_status(parsed))
        guard status == 0 else {
            guard let refusal = OCSPError.Refusal(rawValue: status) else {
                throw .malformedAnswer("its status is none", .drain())
            }
            throw .refused(refusal)
        }
        guard let basic = unsafe OCSP_response_get1_basic(parsed) else {
            throw .malformedAnswer("it holds no statement", .drain())
        }
        defer { unsafe OCSP_BASICRESP_free(basic) }
        try unsafe checkSignature(of: basic, at: moment)
        try unsafe checkNonce(of: basic)
        let answer = try unsafe statement(in: basic)
        try checkTimes(of: answer, at: moment)
        return answer
    }

    // MARK: - Who signed

    private func checkSignature(
        of basic: OpaquePointer, at moment: Timestamp
    ) throws(OCSPError) {
        let algorithm = unsafe OCSP_resp_get0_tbs_sigalg(basic)
        let name = unsafe algorithmName(algorithm)
        guard !Self.isWeak(name) else { throw .weakSignature(String(name.prefix(40))) }
        let signer = try unsafe signer(of: basic)
        if signer != issuer { try checkDelegation(to: signer, at: moment) }
        // Over the bytes as they are encoded anew, which in DER are those that came.
        let isSigned = unsafe signer.withHandle { signer in
            guard let key = unsafe X509_get0_pubkey(signer) else { return false }
            return unsafe ASN1_item_verify(
                OCSP_RESPDATA_it(), algorithm, OCSP_resp_get0_signature(basic),
                UnsafeMutableRawPointer(mutating: purser_ocsp_data0(basic)), key) == 1
        }
        guard isSigned else { throw .signatureInvalid(.drain()) }
    }

    /// The certificate that the answer's responder id names: the issuer, or one in the answer.
    private func signer(of basic: OpaquePointer) throws(OCSPError) -> Certificate {
        guard let known = unsafe purser_certificates_new() else { throw Self.outOfMemory }
        defer { unsafe purser_certificates_free(known) }
        unsafe issuer.withHandle { _ = unsafe purser_certificates_add1(known, $0) }
        var found: OpaquePointer?
        guard unsafe OCSP_resp_get0_signer(basic, &found, known) == 1,
            let found = unsafe found
        else { throw .signerUnknown }
        guard let signer = unsafe try? Certificate(retaining: found) else {
            throw .signerNotAllowed("its certificate cannot be read")
        }
        return signer
    }

    private func checkDelegation(
        to signer: Certificate, at moment: Timestamp
    ) throws(OCSPError) {
        guard signer.isSigned(by: issuer) else {
            throw .signerNotAllowed("it was not issued by the certificate's issuer")
        }
        guard signer.extendedKeyUsage.contains(OID.ocspSigning) else {
            throw .signerNotAllowed("its certificate is not for signing OCSP answers")
        }
        guard signer.keyUsage.isEmpty || signer.keyUsage.contains(.digitalSignature) else {
            throw .signerNotAllowed("its certificate is not for signatures")
        }
        guard signer.notBefore <= moment.adding(seconds: Self.tolerance),
            moment.adding(seconds: -Self.tolerance) <= signer.notAfter
        else { throw .signerNotAllowed("its certificate is not valid now") }
    }

    /// Digests for which a second text of the same digest can be made.
    private static func isWeak(_ algorithm: String) -> Bool {
        let name = algorithm.lowercased()
        return name.contains("sha1") || name.contains("md5") || name.contains("md4")
            || name.contains("md2")
    }

    // MARK: - What is said

    private func checkNonce(of basic: OpaquePointer) throws(OCSPError) {
        let (request, _) = unsafe decoded(der) { unsafe d2i_OCSP_REQUEST(nil, $0, $1) }
        guard let request = unsafe request else { throw Self.outOfMemory }
        defer { unsafe OCSP_REQUEST_free(request) }
        // 0: both have one, and they differ (man 3 OCSP_check_nonce).
        guard unsafe OCSP_check_nonce(request, basic) != 0 else { throw .nonceDiffers }
    }

    private func statement(in basic: OpaquePointer) throws(OCSPError) -> OCSPAnswer {
        guard let name = unsafe Self.name(of: certificate, issuer) else { throw Self.outOfMemory }
        defer { unsafe OCSP_CERTID_free(name) }
        let index = unsafe OCSP_resp_find(basic, name, -1)
        guard index >= 0, let single = unsafe OCSP_resp_get0(basic, index) else {
            throw .otherCertificate
        }
        guard unsafe OCSP_resp_find(basic, name, index) < 0 else {
            throw .malformedAnswer("it says two things of the certificate", .drain())
        }
        var reason: Int32 = -1
        var revoked: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        var this: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        var next: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        let status = unsafe OCSP_single_get0_status(single, &reason, &revoked, &this, &next)
        guard
            let produced = unsafe CertificateFields.moment(OCSP_resp_get0_produced_at(basic)),
            let thisUpdate = unsafe CertificateFields.moment(this)
        else { throw .malformedAnswer("a time in it is none", .drain()) }
        var nextUpdate: Timestamp?
        if let next = unsafe next {
            guard let end = unsafe CertificateFields.moment(next), thisUpdate <= end else {
                throw .malformedAnswer("a time in it is none", .drain())
            }
            nextUpdate = end
        }
        let standing: OCSPAnswer.Standing
        switch status {
        case V_OCSP_CERTSTATUS_GOOD: standing = .good
        case V_OCSP_CERTSTATUS_REVOKED:
            guard let at = unsafe CertificateFields.moment(revoked) else {
                throw .malformedAnswer("a time in it is none", .drain())
            }
            standing = .revoked(at: at, reason: CRLReason(rawValue: Int(reason)))
        case V_OCSP_CERTSTATUS_UNKNOWN: standing = .unknown
        default: throw .malformedAnswer("its standing is none", .drain())
        }
        return OCSPAnswer(
            standing: standing, producedAt: produced, thisUpdate: thisUpdate,
            nextUpdate: nextUpdate)
    }

    private func checkTimes(
        of answer: OCSPAnswer, at moment: Timestamp
    ) throws(OCSPError) {
        for time in [answer.thisUpdate, answer.producedAt]
        where time > moment.adding(seconds: Self.tolerance) {
            throw .fromTheFuture(time)
        }
        let end = answer.nextUpdate ?? answer.thisUpdate.adding(seconds: Self.freshness)
        guard moment <= end.adding(seconds: Self.tolerance) else { throw .outdated(since: end) }
    }
}
