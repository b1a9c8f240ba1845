import Merchants
import PKI

extension CertificateFacts {
    /// Reads from a certificate what the rules ask for.
    ///
    /// `trust` is that of the merchant's realm; `others` came in the same file and may link to its
    /// roots. Validity is left out of the chain: it is a check of its own, so that an expired
    /// certificate is told as expired and not as badly issued.
    init(_ certificate: Certificate, others: [Certificate], trust: RealmTrust) {
        let chain: ChainFact
        switch trust.verdict(on: certificate, others: others) {
        case .verified: chain = .verified
        case .issuerUnknown: chain = .issuerUnknown
        case .invalid(let reason): chain = .invalid(reason: reason)
        }
        let key: KeyRequirement? =
            switch certificate.publicKey.algorithm {
            case .rsa2048: .rsa2048
            case .ecP256: .ecP256
            default: nil
            }
        self.init(
            userID: certificate.subject.first(OID.userID),
            merchantHash: certificate.extensionValue(OID.appleMerchantHash).flatMap(Self.text),
            hasIdentityMarker: certificate.extensionValue(OID.appleMerchantIdentity) != nil,
            isForClientAuthentication: certificate.extendedKeyUsage == [OID.clientAuth],
            mayEncipherOrAgreeOnKeys: certificate.keyUsage.contains(.keyEncipherment)
                || certificate.keyUsage.contains(.keyAgreement),
            isCA: certificate.isCA, key: key,
            keyDescription: certificate.publicKey.algorithm.description,
            notBefore: certificate.notBefore, notAfter: certificate.notAfter, chain: chain)
    }

    /// The text of a DER UTF8String that fills `der` (X.690 §8.23); nil for anything else.
    private static func text(_ der: [UInt8]) -> String? {
        guard der.count >= 2, der[0] == 0x0C, der[1] < 0x80, der.count == 2 + Int(der[1]) else {
            return nil
        }
        return String(validating: der[2...], as: UTF8.self)
    }
}

extension CertificateRecord {
    /// What is kept of `certificate`.
    init(_ certificate: Certificate, issuerVerified: Bool) {
        self.init(
            der: certificate.der, fingerprint: certificate.sha256,
            subject: certificate.subject.rfc4514, serialNumber: certificate.serialNumber,
            notBefore: certificate.notBefore, notAfter: certificate.notAfter,
            teamIdentifier: certificate.subject.first(OID.organizationalUnit),
            issuerVerified: issuerVerified)
    }
}
