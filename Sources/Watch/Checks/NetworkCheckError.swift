package import Merchants
package import Problems

/// What keeps a check of the network from seeing something; the other side has no part in it.
package enum NetworkCheckError: Explained, Equatable {
    case issuerUnknown(CredentialIdentifier)
    case responderAnswered(host: String, status: Int)
    case outOfTime(check: String, left: Int)

    package var code: String {
        switch self {
        case .issuerUnknown: "watch.issuer-unknown"
        case .responderAnswered: "watch.responder-answered"
        case .outOfTime: "watch.out-of-time"
        }
    }

    package var summary: String {
        switch self {
        case .issuerUnknown(let id):
            "whether \(id) is revoked cannot be asked: its issuer's certificate is not known here"
        case .responderAnswered(let host, let status):
            "the OCSP responder \(host) answered with status \(status)"
        case .outOfTime(let check, let left):
            "the time for \(check) was up; \(left) \(left == 1 ? "is" : "are") left for the next run"
        }
    }

    package var remedy: String {
        switch self {
        case .issuerUnknown: "trust its issuer: purser trust fetch, or purser trust add FILE"
        case .responderAnswered: "nothing now: it is asked again; a proxy may stand in the way"
        case .outOfTime: "look for what is slow: purser doctor --network; or watch more often"
        }
    }

    package var nature: Nature {
        switch self {
        case .issuerUnknown: .configuration
        case .responderAnswered: .refused
        case .outOfTime: .timedOut
        }
    }

    package static var examples: [NetworkCheckError] {
        [
            .issuerUnknown(.example), .responderAnswered(host: "ocsp.example.com", status: 503),
            .outOfTime(check: "rehearsals", left: 12),
        ]
    }
}
