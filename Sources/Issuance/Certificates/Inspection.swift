package import Clocks
package import Merchants
package import PKI

/// What can be said of somebody's file without a home: whose it is, what fits what, what is wrong.
package struct Inspection: Sendable {
    /// One certificate, judged by Apple's table on its own.
    package struct Finding: Sendable {
        package let item: ForeignContents.Item<Certificate>
        /// The subject's UID; somebody else's text unless ``kind`` is there.
        package let merchant: String?
        /// Whether Apple's hash (6.32) is the merchant's; nil where it is absent.
        package let hashFits: Bool?
        /// Which of Apple's certificates it is; nil where it is none that can be used.
        package let kind: CredentialKind?
        /// The first thing for which an import would refuse it.
        package let fault: CertificateFault?
        /// Whether its private key is in the same file.
        package let hasKey: Bool
        /// The certificate in the same file that issued it.
        package let issuer: Certificate?
    }

    package let contents: ForeignContents
    package let findings: [Finding]
    /// What speaks against a file although it can be read, each one sentence.
    package let warnings: [String]

    /// Judges `contents` at `now`.
    package init(_ contents: ForeignContents, now: Timestamp) {
        self.contents = contents
        let certificates = contents.certificates.map(\.value)
        let keys = Set(contents.keys.map(\.value.publicKey))
        findings = contents.certificates.map { item in
            Self.finding(item, among: certificates, keys: keys, now: now)
        }
        warnings =
            contents.warnings
            + contents.keys.compactMap { item in
                WellKnownKeys.source(of: item.value.publicKey).map {
                    "the key (\(item.place)) is public: anybody finds it in \($0)"
                }
            }
    }

    private static func finding(
        _ item: ForeignContents.Item<Certificate>, among certificates: [Certificate],
        keys: Set<PublicKey>, now: Timestamp
    ) -> Finding {
        let certificate = item.value
        let facts = CertificateFacts(
            certificate, others: [], trust: RealmTrust(roots: [], intermediates: []))
        var hashFits: Bool?
        var kind: CredentialKind?
        var fault: CertificateFault?
        if let text = facts.userID, let hash = facts.merchantHash {
            let expected = Hexadecimal.uppercase(SHA256.hash(Array(text.utf8)))
            hashFits = hash.uppercased() == expected
        }
        if facts.isCA {
            fault = .isCA
        } else if let merchant = facts.userID.flatMap({ try? MerchantIdentifier($0) }) {
            let examination = CertificateExamination(
                merchant: merchant,
                merchantHash: Hexadecimal.uppercase(SHA256.hash(Array(merchant.text.utf8))),
                now: now)
            do throws(CertificateFault) {
                kind = try examination.kind(of: facts)
                try certificate.checkSignatureAlgorithm()
                try examination.checkValidity(of: facts)
            } catch {
                fault = error
            }
        } else {
            fault = .notApplePay
        }
        let issuer =
            certificate.isSelfSigned
            ? nil
            : certificates.first { $0.subject == certificate.issuer && $0 != certificate }
        return Finding(
            item: item, merchant: facts.userID, hashFits: hashFits, kind: kind, fault: fault,
            hasKey: keys.contains(certificate.publicKey), issuer: issuer)
    }
}

extension Certificate {
    /// Refuses a signature over MD5 or SHA-1, of which others with the same digest can be made.
    ///
    /// Apple signs with SHA-256; a leaf with less is old, or made by somebody else.
    func checkSignatureAlgorithm() throws(CertificateFault) {
        let name = signatureAlgorithm.lowercased()
        if ["md2", "md4", "md5", "sha1"].contains(where: name.contains) || name == "dsawithsha" {
            throw .weakSignature(signatureAlgorithm)
        }
    }
}
