package import Clocks
package import Merchants
package import Problems
package import Sessions

/// Why an act on a credential is refused.
package enum IssuanceError: Explained, Equatable {
    case notACertificateFile(_ flag: String)
    case anchorMissing(_ name: String)
    case noCertificateInFile(_ description: String)
    case certificateDamaged
    case severalCertificates(_ fingerprints: [String])
    case nothingPicked(_ prefix: String)
    case severalKeys(_ count: Int)
    case providerWithKey
    case heldElsewhere(_ id: CredentialIdentifier, holder: String)
    case keyFileIsNoKey(_ shape: String)
    case noRequest(_ description: String)
    case severalRequests(_ count: Int)
    case requestWithKey
    case requestUnsigned
    case requestWrongKey(_ found: String, kind: CredentialKind)
    case keyDoesNotFit
    case keyWithoutCertificate
    case finished(_ id: CredentialIdentifier, CredentialState)
    case noCertificate(_ id: CredentialIdentifier)
    case noRequestKept(_ id: CredentialIdentifier)
    case noKeyHere(_ id: CredentialIdentifier)
    case notAnIdentity(_ id: CredentialIdentifier)
    case rehearsalNeedsDomain(_ merchant: MerchantIdentifier)
    case rehearsalFailed(_ reason: SessionError)
    case rehearsalIncomplete(_ reason: SessionError)
    case rehearsalInconclusive(_ reason: SessionError)
    case activationInFuture(_ time: Timestamp)
    case activationBeforeKey(_ id: CredentialIdentifier, made: Timestamp)
    case activationKnown(_ id: CredentialIdentifier, at: Timestamp)
    case tokenOver(_ time: Timestamp)

    package var code: String {
        switch self {
        case .notACertificateFile: "environment.not-a-certificate-file"
        case .anchorMissing: "environment.root-missing"
        case .noCertificateInFile: "import.no-certificate"
        case .nothingPicked: "import.nothing-picked"
        case .providerWithKey: "import.provider-with-key"
        case .heldElsewhere: "import.held-elsewhere"
        case .certificateDamaged: "import.damaged"
        case .severalCertificates: "import.several-certificates"
        case .severalKeys: "import.several-keys"
        case .noRequest: "request.no-csr"
        case .severalRequests: "request.several-csrs"
        case .requestWithKey: "request.with-key"
        case .requestUnsigned: "request.signature-wrong"
        case .requestWrongKey: "request.wrong-key-type"
        case .keyFileIsNoKey: "import.key-file-is-no-key"
        case .keyDoesNotFit: "import.key-does-not-fit"
        case .keyWithoutCertificate: "import.key-without-certificate"
        case .finished: "certificate.finished"
        case .noCertificate: "certificate.none-yet"
        case .noRequestKept: "certificate.no-csr"
        case .noKeyHere: "certificate.no-key-here"
        case .notAnIdentity: "certificate.not-an-identity"
        case .rehearsalNeedsDomain: "rehearsal.needs-domain"
        case .rehearsalFailed: "rehearsal.failed"
        case .rehearsalIncomplete: "rehearsal.incomplete"
        case .rehearsalInconclusive: "rehearsal.inconclusive"
        case .activationInFuture: "certificate.activation-in-future"
        case .activationBeforeKey: "certificate.activation-before-key"
        case .activationKnown: "certificate.activation-known"
        case .tokenOver: "api-token.expiry-past"
        }
    }

    package var summary: String {
        switch self {
        case .notACertificateFile(let flag): "the file of \(flag) holds no certificate"
        case .anchorMissing(let name): "the trust root \(name.prefix(60))… is missing from anchors/"
        case .noCertificateInFile(let description):
            "this is \(description), without a certificate or a private key"
        case .certificateDamaged: "this certificate is damaged: it cannot be parsed"
        case .severalCertificates(let fingerprints):
            "this file holds \(fingerprints.count) certificates: "
                + fingerprints.prefix(4).map { String($0.prefix(12)) }.joined(separator: ", ")
                + (fingerprints.count > 4 ? ", …" : "")
        case .nothingPicked(let prefix):
            "no single certificate in the file has a fingerprint that begins with \(prefix)"
        case .providerWithKey: "the private key is in the file, so no provider alone holds it"
        case .heldElsewhere(let id, let holder): "\(id) has this key, which is held by \(holder)"
        case .severalKeys(let count): "there are \(count) private keys, and one is needed"
        case .noRequest(let description): "this is \(description), without a CSR"
        case .severalRequests(let count): "there are \(count) CSRs, and one is needed"
        case .requestWithKey: "the private key is in the file, so no provider alone holds it"
        case .requestUnsigned: "this CSR is not signed by the key that it is for"
        case .requestWrongKey(let found, let kind):
            "a \(kind.rawValue) CSR has an \(kind.requiredKey.rawValue) key; this: \(found)"
        case .keyFileIsNoKey(let shape): "the file of --key is \(shape), without a private key"
        case .keyDoesNotFit: "the private key is not the one of this certificate"
        case .keyWithoutCertificate: "this is a private key without its certificate"
        case .finished(let id, let state): "\(id) has this key, and is \(state.rawValue)"
        case .noCertificate(let id): "\(id) has no certificate yet"
        case .noRequestKept(let id): "\(id) has no CSR: its key came with its certificate"
        case .noKeyHere(let id): "the key of \(id) is not in this home"
        case .notAnIdentity(let id):
            "\(id) is for payment processing; only identities are rehearsed"
        case .rehearsalNeedsDomain(let merchant): "\(merchant) has no domain to rehearse with"
        case .rehearsalFailed(let reason): "the rehearsal failed: \(reason.summary)"
        case .rehearsalIncomplete(let reason):
            "Apple accepts the certificate, but \(reason.summary)"
        case .rehearsalInconclusive(let reason): "the rehearsal proved nothing: \(reason.summary)"
        case .activationInFuture(let time): "\(time) has not come yet"
        case .activationBeforeKey(let id, let made): "the key of \(id) was made later, on \(made)"
        case .activationKnown(let id, let time): "\(id) is recorded as activated on \(time)"
        case .tokenOver(let time): "an API token that ends at \(time) would be over already"
        }
    }

    package var remedy: String {
        switch self {
        case .notACertificateFile: "give a file with certificates in PEM or DER"
        case .anchorMissing(let name) where name.hasPrefix("\(RealmName.apple)/"):
            "get it anew: purser trust fetch, or: purser trust add FILE"
        case .anchorMissing: "put the file back from a backup, or add the environment again"
        case .noCertificateInFile: "give the .cer file from Apple's portal, or that and its key"
        case .certificateDamaged: "download the file again from Apple's portal"
        case .severalCertificates:
            "use --pick FINGERPRINT or --all; for the list: purser inspect FILE"
        case .nothingPicked: "give 8 or more of its hex digits, from: purser inspect FILE"
        case .severalKeys: "put each into a file of its own and import them one by one"
        case .noRequest: "give the .csr file of the payment provider's"
        case .severalRequests: "put each into a file of its own and record them one by one"
        case .requestWithKey:
            "keep the key here instead: purser certificate import MERCHANT FILE --kind KIND"
        case .requestUnsigned: "have the provider send it again; it was changed on the way"
        case .requestWrongKey(_, let kind):
            "have the provider make one with an \(kind.requiredKey.rawValue) key; see also the KIND"
        case .keyFileIsNoKey: "give the file that has it; purser inspect FILE says what is in one"
        case .providerWithKey: "leave --provider out"
        case .heldElsewhere(let id, _): "see who holds it: purser certificate show \(id)"
        case .keyDoesNotFit: "find the key whose CSR was uploaded for this certificate"
        case .keyWithoutCertificate:
            "give its certificate too, with --key KEY; or keep it for later with --kind KIND"
        case .noKeyHere: "use the provider's own tools for it"
        case .finished: "request a new key: purser certificate request MERCHANT KIND"
        case .noRequestKept:
            "make a new key with a CSR: purser certificate request MERCHANT KIND"
        case .noCertificate(let id):
            "upload its CSR in Apple's portal: purser certificate show \(id)"
        case .notAnIdentity(let id): "record its activation: purser certificate activated \(id)"
        case .rehearsalNeedsDomain(let merchant):
            "run: purser domain add \(merchant) DOMAIN; or use --without-rehearsal"
        case .rehearsalFailed(let reason): reason.remedy
        case .rehearsalIncomplete(let reason): "\(reason.remedy); or use --accept-incomplete"
        case .rehearsalInconclusive(let reason): reason.remedy
        case .activationInFuture, .activationBeforeKey:
            "give the time at which it was activated, in UTC"
        case .tokenOver: "give a later --expires, or leave it out"
        case .activationKnown(let id, _): "leave --at out; see: purser certificate show \(id)"
        }
    }

    package var nature: Nature {
        switch self {
        case .notACertificateFile, .noCertificateInFile, .certificateDamaged,
            .severalCertificates, .nothingPicked, .providerWithKey, .severalKeys, .keyFileIsNoKey,
            .keyDoesNotFit, .noRequest, .severalRequests, .requestWithKey, .requestUnsigned,
            .requestWrongKey, .keyWithoutCertificate, .activationInFuture, .activationBeforeKey,
            .tokenOver:
            .badData
        case .finished, .heldElsewhere, .noCertificate, .noRequestKept, .noKeyHere, .notAnIdentity,
            .rehearsalNeedsDomain, .activationKnown:
            .conflict
        case .anchorMissing: .configuration
        case .rehearsalFailed, .rehearsalIncomplete: .refused
        case .rehearsalInconclusive(let reason): reason.nature
        }
    }

    package var cause: (any Error)? {
        switch self {
        case .rehearsalFailed(let reason), .rehearsalIncomplete(let reason),
            .rehearsalInconclusive(let reason):
            reason
        default: nil
        }
    }

    package static var examples: [IssuanceError] {
        guard let merchant = try? MerchantIdentifier("merchant.com.example.shop") else { return [] }
        let id = CredentialIdentifier.example
        return [
            .notACertificateFile("--gateway-ca"), .anchorMissing("lab/3f9a"),
            .noCertificateInFile("a public key (DER)"), .certificateDamaged,
            .severalCertificates([String](repeating: String(repeating: "a", count: 64), count: 5)),
            .nothingPicked("3f9a01c2"), .providerWithKey, .heldElsewhere(id, holder: "this home"),
            .severalKeys(2), .keyFileIsNoKey("a web page"),
            .noRequest("a certificate (DER)"), .severalRequests(2), .requestWithKey,
            .requestUnsigned, .requestWrongKey("EC P-384", kind: .paymentProcessing),
            .keyDoesNotFit, .keyWithoutCertificate, .finished(id, .destroyed),
            .noCertificate(id), .noRequestKept(id), .noKeyHere(id), .notAnIdentity(id),
            .rehearsalNeedsDomain(merchant), .rehearsalFailed(.certificateExpired),
            .rehearsalIncomplete(.merchantIncomplete(said: "no active certificate")),
            .rehearsalInconclusive(.appleFailed(status: 500)),
            .activationInFuture(Timestamp(seconds: 4_102_444_800)),
            .activationBeforeKey(id, made: Timestamp(seconds: 0)),
            .activationKnown(id, at: Timestamp(seconds: 0)), .tokenOver(Timestamp(seconds: 0)),
        ]
    }
}
