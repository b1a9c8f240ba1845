import PKI
package import Problems
package import Transfers

/// Why a certificate is not trusted, or could not be fetched.
package enum TrustError: Explained, Equatable {
    case badSite(_ what: String)
    case encrypted
    case noCertificate(_ description: String)
    case notPinned(_ name: String)
    case notAnAuthority(_ name: String)
    case issuerUnknown(_ name: String)
    case notIssued(_ name: String, reason: String)
    case notFetched(_ reason: TransferError)
    case notServed(_ path: String, status: Int)
    case otherServed(_ path: String, expected: String)

    package var code: String {
        switch self {
        case .badSite: "trust.bad-site"
        case .encrypted: "trust.encrypted"
        case .notFetched: "trust.not-fetched"
        case .noCertificate: "trust.no-certificate"
        case .notPinned: "trust.not-pinned"
        case .notAnAuthority: "trust.not-an-authority"
        case .issuerUnknown: "trust.issuer-unknown"
        case .notIssued: "trust.not-issued"
        case .notServed: "trust.not-served"
        case .otherServed: "trust.other-served"
        }
    }

    package var summary: String {
        switch self {
        case .badSite(let what): "this is no address to fetch from: \(what)"
        case .encrypted: "this file is encrypted, and so is made for a private key"
        case .notFetched(let reason): reason.summary
        case .noCertificate(let description): "this is \(description), without a certificate"
        case .notPinned(let name): "\(name) is none of Apple's three roots by its fingerprint"
        case .notAnAuthority(let name): "\(name) is no authority's certificate: it issues nothing"
        case .issuerUnknown(let name): "\(name) leads to no root of Apple's that is known here"
        case .notIssued(let name, let reason): "\(name) was not issued by Apple: \(reason)"
        case .notServed(let path, let status): "the server answered \(status) for \(path)"
        case .otherServed(let path, let expected): "what was served as \(path) is not \(expected)"
        }
    }

    package var remedy: String {
        switch self {
        case .badSite: "write https://host or https://host:port"
        case .encrypted: "give the authorities' certificates alone: purser help trust add"
        case .notFetched(let reason):
            "\(reason.remedy); without a network: purser help trust add"
        case .noCertificate: "give a file from Apple's page: apple.com/certificateauthority"
        case .notPinned: "for a stand-in of your own: purser environment add NAME --apple-root FILE"
        case .notAnAuthority:
            "for a merchant's certificate: purser certificate import MERCHANT FILE"
        case .issuerUnknown: "put its root into the same file, or first: purser trust fetch"
        case .notIssued: "find out who made this file; get Apple's own: purser trust fetch"
        case .notServed: "try again later, or download the file and: purser trust add FILE"
        case .otherServed: "find out who answers for Apple there; nothing was trusted"
        }
    }

    package var nature: Nature {
        switch self {
        case .notFetched(let reason): reason.nature
        case .badSite, .encrypted, .noCertificate, .notPinned, .notAnAuthority, .issuerUnknown,
            .notIssued:
            .badData
        case .notServed, .otherServed: .refused
        }
    }

    package var cause: (any Error)? {
        if case .notFetched(let reason) = self { reason } else { nil }
    }

    package static var examples: [TrustError] {
        [
            .badSite("it does not start with https://"), .encrypted,
            .notFetched(.nameNotResolved(host: "www.apple.com")),
            .noCertificate("a public key (DER)"), .notPinned("“Example Root CA”"),
            .notAnAuthority("“Example Root CA”"), .issuerUnknown("“Example CA”"),
            .notIssued("“Example CA”", reason: "certificate signature failure"),
            .notServed("/appleca/AppleIncRootCertificate.cer", status: 404),
            .otherServed(
                "/certificateauthority/AppleRootCA-G3.cer", expected: "Apple Root CA - G3"),
        ]
    }

    /// What a certificate calls itself, short enough for one line: somebody else's text.
    static func name(of certificate: Certificate) -> String {
        let name = certificate.subject.commonName ?? certificate.subject.rfc4514
        return name.count > 40 ? "“\(name.prefix(39))…”" : "“\(name)”"
    }
}
