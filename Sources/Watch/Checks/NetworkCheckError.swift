package import Merchants
package import Problems

/// What keeps a check of the network from seeing something.
package enum NetworkCheckError: Explained, Equatable {
    case issuerUnknown(CredentialIdentifier)
    case responderAnswered(host: String, status: Int)
    case outOfTime(check: String, left: Int)
    /// So many certificates were not vouched for by their issuers; why, of the first, as a clause.
    case issuersSilent(count: Int, why: String)
    /// So many rehearsals have shown nothing; why, the first.
    case rehearsalsInconclusive(count: Int, why: String)

    package var code: String {
        switch self {
        case .issuerUnknown: "watch.issuer-unknown"
        case .responderAnswered: "watch.responder-answered"
        case .outOfTime: "watch.out-of-time"
        case .issuersSilent: "watch.issuers-silent"
        case .rehearsalsInconclusive: "watch.rehearsals-inconclusive"
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
        case .issuersSilent(1, let why): "a certificate in use \(why)"
        case .issuersSilent(let count, let why):
            "\(count) certificates in use got no good word of their issuers; one \(why)"
        case .rehearsalsInconclusive(let count, let why):
            "\(count) rehearsal\(count == 1 ? " has" : "s have") shown nothing: \(why)"
        }
    }

    package var remedy: String {
        switch self {
        case .issuerUnknown: "trust its issuer: purser trust fetch, or purser trust add FILE"
        case .responderAnswered: "nothing now: it is asked again; a proxy may stand in the way"
        case .outOfTime: "look for what is slow: purser doctor --network; or watch more often"
        case .issuersSilent: "nothing now: they are asked again; after 48 hours it is a finding"
        case .rehearsalsInconclusive: "nothing now: they are repeated; see: purser doctor --network"
        }
    }

    package var nature: Nature {
        switch self {
        case .issuerUnknown: .configuration
        case .responderAnswered: .refused
        case .outOfTime: .timedOut
        case .issuersSilent, .rehearsalsInconclusive: .unavailable
        }
    }

    package static var examples: [NetworkCheckError] {
        [
            .issuerUnknown(.example), .responderAnswered(host: "ocsp.example.com", status: 503),
            .outOfTime(check: "rehearsals", left: 12),
            .issuersSilent(count: 1, why: "could not be asked about: HTTP 503"),
            .rehearsalsInconclusive(count: 1, why: "Apple answered with status 503"),
        ]
    }
}
