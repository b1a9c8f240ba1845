package import Clocks
package import PKI

extension TestPKI {
    /// What can be wrong with a leaf, for tests of refusals.
    package enum Flaw: Hashable, Sendable {
        /// 6.32 holds the hash of another merchant.
        case otherMerchantHash
        /// 6.32 is absent.
        case noMerchantHash
        /// 6.32 in lower case: no fault, hex is compared without regard to case.
        case lowerCaseMerchantHash
        /// 6.46 is absent from an identity.
        case noIdentityMarker
        /// 6.46 stands in a processing certificate.
        case identityMarker
        /// The subject's UID is this instead.
        case userID(String)
        /// The subject has no UID.
        case noUserID
        /// The extended key usage is absent.
        case noClientAuth
        /// The key usage is this instead.
        case keyUsage(Set<KeyUsage>)
        /// Signed by a root of the right name that nobody trusts.
        case unknownIssuer
        /// An extension that nobody knows is marked critical.
        case critical(oid: String)
        /// One more extension, whatever is there already; `copy` tells several alike apart.
        case extra(oid: String, value: [UInt8], copy: Int = 0)
        /// The subject has this UID besides its own.
        case secondUserID(String)
    }

    /// A merchant identity certificate for `key`, 760 days from the day before ``now`` by default.
    ///
    /// Apple's shape: UID, CN, OU and O without C; digitalSignature; clientAuth; 6.32 and 6.46.
    package func identity(
        merchant: String, key: PublicKey, team: String = "TEAM123456",
        from start: Timestamp? = nil, days: Int64 = 760, flaws: Set<Flaw> = []
    ) throws -> Certificate {
        var template = leaf(
            merchant, title: "Apple Pay Merchant Identity", key: key, team: team, country: nil,
            from: start, days: days, flaws: flaws)
        template.keyUsage = [.digitalSignature]
        template.extendedKeyUsage = flaws.contains(.noClientAuth) ? [] : [OID.clientAuth]
        if !flaws.contains(.noIdentityMarker) {
            template.extraExtensions.append(.init(oid: OID.appleMerchantIdentity, value: DER.null))
        }
        return try issue(template, by: identityIntermediate, flaws: flaws)
    }

    /// A payment processing certificate for `key`, EC or (mainland China) RSA.
    ///
    /// Apple's shape: UID, CN, OU, O and C; keyEncipherment and keyAgreement; no extended key
    /// usage; 6.32 and no 6.46.
    package func processing(
        merchant: String, key: PublicKey, team: String = "TEAM123456",
        from start: Timestamp? = nil, days: Int64 = 760, flaws: Set<Flaw> = []
    ) throws -> Certificate {
        var template = leaf(
            merchant, title: "Apple Pay Payment Processing", key: key, team: team, country: "US",
            from: start, days: days, flaws: flaws)
        template.keyUsage = [.keyEncipherment, .keyAgreement]
        if flaws.contains(.identityMarker) {
            template.extraExtensions.append(.init(oid: OID.appleMerchantIdentity, value: DER.null))
        }
        return try issue(template, by: processingIntermediate, flaws: flaws)
    }

    /// A TLS server's certificate under ``identityRoot`` or `authority`, for host names and addresses;
    /// until `days` from yesterday.
    package func server(
        names: [CertificateTemplate.AlternativeName], key: PublicKey, days: Int64 = 90,
        under authority: Authority? = nil
    ) throws -> Certificate {
        let authority = authority ?? identityRoot
        var template = CertificateTemplate(
            subject: .init(commonName: "test server"), publicKey: key,
            notBefore: now.adding(days: min(-1, days - 2)), notAfter: now.adding(days: days - 1))
        template.subjectAlternativeNames = names
        template.keyUsage = [.digitalSignature]
        template.extendedKeyUsage = [OID.serverAuth]
        return try template.issue(
            issuer: authority.certificate, issuerKey: authority.key)
    }

    private func leaf(
        _ merchant: String, title: String, key: PublicKey, team: String, country: String?,
        from start: Timestamp?, days: Int64, flaws: Set<Flaw>
    ) -> CertificateTemplate {
        var userID: String? = flaws.contains(.noUserID) ? nil : merchant
        for case .userID(let other) in flaws {
            userID = other
        }
        let start = start ?? now.adding(days: -1)
        var template = CertificateTemplate(
            subject: .init(
                userID: userID, commonName: "\(title):\(merchant)", organizationalUnit: team,
                organization: "Test Shop Inc.", country: country),
            publicKey: key, notBefore: start, notAfter: start.adding(days: days))
        template.ocspURL = ocspURL
        template.crlURL = "http://crl.test.invalid/wwdr.crl"
        if !flaws.contains(.noMerchantHash) {
            let named = flaws.contains(.otherMerchantHash) ? "merchant.another" : merchant
            let digest = SHA256.hash(Array(named.utf8))
            let hash =
                flaws.contains(.lowerCaseMerchantHash)
                ? Hexadecimal.lowercase(digest) : Hexadecimal.uppercase(digest)
            template.extraExtensions.append(
                .init(oid: OID.appleMerchantHash, value: DER.utf8String(hash)))
        }
        for case .extra(let oid, let value, _) in flaws {
            template.extraExtensions.append(.init(oid: oid, value: value))
        }
        for case .secondUserID(let other) in flaws {
            template.subject = DistinguishedName(
                template.subject.attributes + [.init(OID.userID, other)])
        }
        for case .critical(let oid) in flaws {
            template.extraExtensions.append(.init(oid: oid, isCritical: true, value: DER.null))
        }
        return template
    }

    private func issue(
        _ template: CertificateTemplate, by authority: Authority, flaws: Set<Flaw>
    ) throws -> Certificate {
        var template = template
        for case .keyUsage(let usage) in flaws {
            template.keyUsage = usage
        }
        let signer = flaws.contains(.unknownIssuer) ? stranger : authority
        return try template.issue(issuer: signer.certificate, issuerKey: signer.key)
    }
}
