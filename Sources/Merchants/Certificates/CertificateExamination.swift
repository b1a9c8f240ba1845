package import Clocks

/// Decides whether a certificate is one of Apple's for this merchant, and of which kind.
///
/// The certificate decides, never a file name or a common name. The checks run in order and the
/// first that is violated is the answer; each is one line of Apple's table ("Configuring your
/// environment", TN3103).
package struct CertificateExamination: Sendable {
    /// The merchant it is being imported for.
    package let merchant: MerchantIdentifier
    /// SHA-256 of the identifier, hex in either case.
    package let merchantHash: String
    package let now: Timestamp

    package init(merchant: MerchantIdentifier, merchantHash: String, now: Timestamp) {
        self.merchant = merchant
        self.merchantHash = merchantHash
        self.now = now
    }

    /// Runs every check but those of time, and tells the kind.
    ///
    /// - Throws: the first check's ``CertificateFault``.
    package func kind(of facts: CertificateFacts) throws(CertificateFault) -> CredentialKind {
        for check in Self.identityChecks {
            if let fault = check(self, facts) { throw fault }
        }
        return try Self.kind(of: facts)
    }

    /// Checks the validity against the clock.
    ///
    /// - Throws: ``CertificateFault/expired(_:)`` or ``CertificateFault/notYetValid(_:)``.
    package func checkValidity(of facts: CertificateFacts) throws(CertificateFault) {
        if facts.notAfter < now { throw .expired(facts.notAfter) }
        if facts.notBefore > now { throw .notYetValid(facts.notBefore) }
    }

    private typealias Check =
        @Sendable (CertificateExamination, CertificateFacts) -> CertificateFault?

    private static let identityChecks: [Check] = [
        // A CA's certificate was picked from the portal's page by mistake.
        { _, facts in facts.isCA ? .isCA : nil },
        // Neither of Apple's two marks of a merchant: a web server's certificate, for instance.
        { _, facts in facts.userID == nil && facts.merchantHash == nil ? .notApplePay : nil },
        // The subject's UID is the merchant identifier.
        { examination, facts in
            facts.userID?.utf8.elementsEqual(examination.merchant.text.utf8) == true
                ? nil : .otherMerchant(facts.userID, expected: examination.merchant)
        },
        // 6.32 repeats it as a hash; Apple writes upper case, some tools lower.
        { examination, facts in
            facts.merchantHash.map(foldedASCII) == foldedASCII(examination.merchantHash)
                ? nil : .wrongMerchantHash(present: facts.merchantHash != nil)
        },
        // Only an issuer that we know can contradict.
        { _, facts in
            if case .invalid(let reason) = facts.chain { .chainInvalid(reason) } else { nil }
        },
    ]

    /// 6.46 with clientAuth is an identity; neither, with a key that enciphers or agrees, is for
    /// processing; everything between is refused.
    private static func kind(of facts: CertificateFacts) throws(CertificateFault) -> CredentialKind
    {
        let kind: CredentialKind
        switch (facts.hasIdentityMarker, facts.isForClientAuthentication) {
        case (true, true):
            kind = .merchantIdentity
        case (false, false) where facts.mayEncipherOrAgreeOnKeys:
            kind = facts.key == .rsa2048 ? .paymentProcessingRSA : .paymentProcessing
        default:
            throw .kindUnclear
        }
        guard facts.key == kind.requiredKey else {
            throw .wrongKey(facts.keyDescription, kind: kind)
        }
        return kind
    }
}

/// The bytes with ASCII letters in upper case.
///
/// Unicode's own folding would let other letters pass for these, such as the ligature ﬀ for FF.
private func foldedASCII(_ text: String) -> [UInt8] {
    text.utf8.map { $0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z") ? $0 & 0xDF : $0 }
}
