package import Clocks
package import Problems

/// Why a certificate is refused.
package enum CertificateFault: Explained, Equatable {
    case isCA
    case notApplePay
    case otherMerchant(_ found: String?, expected: MerchantIdentifier)
    case wrongMerchantHash(present: Bool)
    case kindUnclear
    case wrongKey(_ found: String, kind: CredentialKind)
    case expired(_ on: Timestamp)
    case notYetValid(_ from: Timestamp)
    case chainInvalid(_ reason: String)
    case weakSignature(_ algorithm: String)
    case keyNotOurs
    case otherKind(_ found: CredentialKind, expected: CredentialKind)

    package var code: String {
        switch self {
        case .isCA: "certificate.is-ca"
        case .notApplePay: "certificate.not-apple-pay"
        case .otherMerchant: "certificate.other-merchant"
        case .wrongMerchantHash: "certificate.wrong-merchant-hash"
        case .kindUnclear: "certificate.kind-unclear"
        case .wrongKey: "certificate.wrong-key-type"
        case .expired: "certificate.expired"
        case .notYetValid: "certificate.not-yet-valid"
        case .chainInvalid: "certificate.chain-invalid"
        case .weakSignature: "certificate.weak-signature"
        case .keyNotOurs: "certificate.key-not-ours"
        case .otherKind: "certificate.other-kind"
        }
    }

    package var summary: String {
        switch self {
        case .isCA:
            "this is the certificate of a certificate authority, not of a merchant"
        case .notApplePay:
            "this is no Apple Pay certificate: it names no merchant identifier"
        case .otherMerchant(let found?, let expected):
            "this certificate is for \(clipped(found)), not for \(expected)"
        case .otherMerchant(nil, let expected):
            "this certificate's subject has no UID, so it is not for \(expected)"
        case .wrongMerchantHash(true):
            "the merchant hash in this certificate (6.32) contradicts its subject"
        case .wrongMerchantHash(false):
            "this certificate lacks Apple's merchant hash (1.2.840.113635.100.6.32)"
        case .kindUnclear:
            "this certificate is neither a merchant identity nor for payment processing"
        case .wrongKey(let found, let kind):
            "a \(kind.rawValue) certificate has an \(kind.requiredKey.rawValue) key; this: \(found)"
        case .expired(let time):
            "this certificate expired on \(time)"
        case .notYetValid(let time):
            "this certificate is not valid before \(time)"
        case .chainInvalid(let reason):
            "this certificate was not issued by the authority that it names: \(reason)"
        case .weakSignature(let algorithm):
            "this certificate's signature proves nothing today: \(clipped(algorithm))"
        case .keyNotOurs:
            "this certificate's key is not one that this home has made or holds"
        case .otherKind(let found, let expected):
            "this is a \(found.rawValue) certificate, not \(expected.rawValue)"
        }
    }

    package var remedy: String {
        switch self {
        case .isCA:
            "download the certificate that Apple's portal issued for your CSR"
        case .notApplePay, .kindUnclear:
            "download the Apple Pay certificate from the merchant identifier's page in the portal"
        case .otherMerchant(let found?, _) where (try? MerchantIdentifier(found)) != nil:
            "import it for its own merchant: purser certificate import \(found) FILE"
        case .otherMerchant, .wrongMerchantHash, .chainInvalid:
            "download the certificate again from Apple's portal"
        case .wrongKey(_, let kind):
            "make a CSR with: purser certificate request MERCHANT \(kind.rawValue)"
        case .expired:
            "request a new one: purser certificate request MERCHANT KIND"
        case .weakSignature:
            "have Apple issue a new one: purser certificate request MERCHANT KIND"
        case .notYetValid:
            "check this machine's clock, or wait until then"
        case .keyNotOurs:
            "give its key with --key, or who holds it with --provider NAME, or upload a CSR of this home's"
        case .otherKind:
            "leave --kind out, or download the certificate of the kind you mean"
        }
    }

    package var nature: Nature { .badData }

    package static var examples: [CertificateFault] {
        let merchant = try? MerchantIdentifier("merchant.com.example.shop")
        let others: [CertificateFault] =
            merchant.map {
                [
                    .otherMerchant("merchant.com.example.other", expected: $0),
                    .otherMerchant(nil, expected: $0),
                ]
            } ?? []
        return others + [
            .isCA, .notApplePay, .wrongMerchantHash(present: true),
            .wrongMerchantHash(present: false), .kindUnclear,
            .wrongKey("EC P-384", kind: .paymentProcessing), .expired(Timestamp(seconds: 0)),
            .notYetValid(Timestamp(seconds: 0)), .chainInvalid("certificate signature failure"),
            .weakSignature("sha1WithRSAEncryption"),
            .keyNotOurs, .otherKind(.merchantIdentity, expected: .paymentProcessing),
        ]
    }
}

/// Text from a file, fit for one line: at most 60 characters, without control characters.
private func clipped(_ text: String) -> String {
    var clean = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(60) where scalar.value >= 0x20 && scalar.value != 0x7F
    {
        clean.append(scalar)
    }
    return String(clean)
}
