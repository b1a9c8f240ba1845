package import Clocks

/// One open step of a rotation, with who has to take it.
package enum RotationStep: Sendable, Hashable {
    /// Make a new key and its CSR.
    case request
    /// Get a CSR from the payment provider that holds the keys, and record it.
    case requestFromProvider(_ provider: String)
    /// Hand the CSR of this credential to Apple, and import the certificate that comes back.
    case submit(CredentialIdentifier)
    /// The same, where a provider made the CSR.
    case submitForProvider(CredentialIdentifier, provider: String)
    /// Rehearse this identity and put it to use.
    case promote(CredentialIdentifier)
    /// Activate this processing certificate at Apple, and record it.
    case activateAtApple(CredentialIdentifier)
    /// Have the provider use this identity, and record it.
    case activateAtProvider(CredentialIdentifier, provider: String)
    /// Decide what becomes of an identity that services went back from.
    case decide(CredentialIdentifier)
    /// Say which of several candidates is meant, by giving up the others.
    case choose([CredentialIdentifier])
    /// Wait: the superseded one is retired at that time.
    case wait(CredentialIdentifier, until: Timestamp)
    /// Take the superseded one out of use.
    case retire(CredentialIdentifier)

    /// Who has to take it.
    package enum Performer: String, Sendable, Hashable {
        /// `purser renew --commit` does.
        case purser
        /// Somebody at Apple's portal, at the provider, or at the command line.
        case person
        /// Nobody: time alone.
        case time
    }

    package var performer: Performer {
        switch self {
        case .request, .promote, .retire: .purser
        case .wait: .time
        case .requestFromProvider, .submit, .submitForProvider, .activateAtApple,
            .activateAtProvider, .decide, .choose:
            .person
        }
    }

    /// Its name in JSON; never changed once used.
    package var name: String {
        switch self {
        case .request: "request"
        case .requestFromProvider: "request-from-provider"
        case .submit, .submitForProvider: "submit"
        case .promote: "promote"
        case .activateAtApple: "activate-at-apple"
        case .activateAtProvider: "activate-at-provider"
        case .decide: "decide"
        case .choose: "choose"
        case .wait: "wait"
        case .retire: "retire"
        }
    }

    /// The credentials that it is about.
    package var credentials: [CredentialIdentifier] {
        switch self {
        case .request, .requestFromProvider: []
        case .submit(let id), .submitForProvider(let id, _), .promote(let id),
            .activateAtApple(let id), .activateAtProvider(let id, _), .decide(let id),
            .wait(let id, _), .retire(let id):
            [id]
        case .choose(let ids): ids
        }
    }
}
