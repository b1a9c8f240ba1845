import Clocks
import Merchants
import PKI

/// Makes certificates as Apple does for merchants, or with faults on request.
struct CertificateMint: Sendable {
    let authorities: AppleAuthorities
    /// Of the OCSP responder named in certificates; nil for none.
    let ocspURL: String?

    /// 25 months.
    static let validDays: Int64 = 760

    /// A certificate of `kind` for `key`, valid from a little before `now` as Apple's are.
    func issue(
        _ kind: CredentialKind, for merchant: String, team: String, key: PublicKey,
        now: Timestamp, days: Int64, faults: Set<CertificateFlaw>
    ) throws -> Certificate {
        let named = faults.contains(.otherMerchant) ? "merchant.com.example.another" : merchant
        let title =
            faults.contains(.oldName)
            ? "Merchant ID: "
            : kind.isProcessing
                ? "Apple Pay Payment Processing:" : "Apple Pay Merchant Identity:"
        let start = Self.start(now, days: days, faults)
        var template = CertificateTemplate(
            subject: .init(
                userID: named, commonName: title + named, organizationalUnit: team,
                organization: "Example Shop, certified by \(Authority.mark)",
                country: kind.isProcessing ? "US" : nil),
            publicKey: faults.contains(.otherKey) ? try Self.strayKey(like: kind) : key,
            notBefore: start, notAfter: start.adding(days: days))
        // Apple's serial numbers are eight bytes.
        template.serialNumber = Array(CertificateTemplate.randomSerialNumber().prefix(8))
        template.ocspURL = ocspURL
        let hasProcessingUsage = kind.isProcessing != faults.contains(.wrongUsage)
        template.keyUsage =
            hasProcessingUsage ? [.keyEncipherment, .keyAgreement] : [.digitalSignature]
        if !kind.isProcessing && !faults.contains(.missingClientAuth) {
            template.extendedKeyUsage = [OID.clientAuth]
        }
        template.extraExtensions = Self.appleExtensions(kind, named, faults)
        return try issuer(of: kind, faults).issue(template)
    }

    private func issuer(of kind: CredentialKind, _ faults: Set<CertificateFlaw>) -> Authority {
        let isProcessing = kind.isProcessing != faults.contains(.otherChain)
        let issuer =
            isProcessing ? authorities.processingIntermediate : authorities.identityIntermediate
        guard faults.contains(.unknownIssuer) else { return issuer }
        return isProcessing ? authorities.processingStranger : authorities.identityStranger
    }

    private static func appleExtensions(
        _ kind: CredentialKind, _ merchant: String, _ faults: Set<CertificateFlaw>
    ) -> [Certificate.Extension] {
        var extensions: [Certificate.Extension] = []
        if !faults.contains(.missingHash) {
            let named = faults.contains(.wrongHash) ? "merchant.com.example.wrong" : merchant
            let digest = SHA256.hash(Array(named.utf8))
            let hash =
                faults.contains(.lowerCaseHash)
                ? Hexadecimal.lowercase(digest) : Hexadecimal.uppercase(digest)
            extensions.append(.init(oid: OID.appleMerchantHash, value: DER.utf8String(hash)))
        }
        let hasMarker =
            kind.isProcessing ? faults.contains(.needlessMarker) : !faults.contains(.missingMarker)
        if hasMarker {
            extensions.append(.init(oid: OID.appleMerchantIdentity, value: DER.null))
        }
        if faults.contains(.criticalExtension) {
            extensions.append(
                .init(oid: OID.appleExtensionArc + "9999", isCritical: true, value: DER.null))
        }
        return extensions
    }

    private static func start(
        _ now: Timestamp, days: Int64, _ faults: Set<CertificateFlaw>
    ) -> Timestamp {
        if faults.contains(.expired) { return now.adding(days: -1 - days) }
        if faults.contains(.notYetValid) { return now.adding(days: 1) }
        // Apple dates back by some minutes, for clocks that are slow.
        return now.adding(seconds: -600)
    }

    private static func strayKey(like kind: CredentialKind) throws -> PublicKey {
        try PrivateKey.generate(kind.requiredKey == .rsa2048 ? .rsa2048 : .ecP256).publicKey
    }
}
