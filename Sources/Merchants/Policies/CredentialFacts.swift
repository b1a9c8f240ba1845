package import Clocks

/// What policies and rotations know of one credential: plain facts, without its certificate's bytes.
package struct CredentialFacts: Sendable, Hashable {
    package let id: CredentialIdentifier
    package let kind: CredentialKind
    package let state: CredentialState
    package let custody: Custody
    /// The payment provider that holds the key; nil under local custody.
    package let provider: String?
    package let createdAt: Timestamp
    package let activatedAt: Timestamp?
    package let times: CredentialTimes
    /// Of the certificate in use; nil while there is none.
    package let notBefore: Timestamp?
    package let notAfter: Timestamp?
    package let team: String?
    /// What a look beyond the record has found; empty where nobody has looked.
    package var troubles: [CredentialTrouble]
    /// What came of asking its issuer; nil where nobody has asked yet.
    package var issuerWord: IssuerWord?

    package init(
        id: CredentialIdentifier, kind: CredentialKind, state: CredentialState, custody: Custody,
        provider: String?, createdAt: Timestamp, activatedAt: Timestamp?, times: CredentialTimes,
        notBefore: Timestamp?, notAfter: Timestamp?, team: String?,
        troubles: [CredentialTrouble] = [], issuerWord: IssuerWord? = nil
    ) {
        self.id = id
        self.kind = kind
        self.state = state
        self.custody = custody
        self.provider = provider
        self.createdAt = createdAt
        self.activatedAt = activatedAt
        self.times = times
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.team = team
        self.troubles = troubles
        self.issuerWord = issuerWord
    }

    /// The facts of a credential.
    package init(_ credential: Credential) {
        self.init(
            id: credential.id, kind: credential.kind, state: credential.state,
            custody: credential.custody, provider: credential.provider,
            createdAt: credential.createdAt, activatedAt: credential.activatedAt,
            times: credential.times,
            notBefore: credential.certificate?.notBefore,
            notAfter: credential.certificate?.notAfter,
            team: credential.certificate?.teamIdentifier)
    }

    /// Whether its certificate is there and has not expired.
    func isValid(at now: Timestamp) -> Bool { notAfter.map { $0 > now } ?? false }

    /// Whether it waits to take its place: asked for, or issued, not expired, and not rolled back.
    func isCandidate(at now: Timestamp) -> Bool {
        switch state {
        case .requested: true
        case .issued: isValid(at: now) && times.rolledBackAt == nil
        default: false
        }
    }

    /// Whether something was found that keeps it from doing its work.
    var isUnfit: Bool {
        troubles.contains { trouble in
            switch trouble {
            case .revokedByIssuer, .refusedByApple, .wrongCertificate, .keyMissing: true
            default: false
            }
        }
    }

    /// Whether it has ever been in use.
    var wasInUse: Bool { activatedAt != nil }
}

/// What came of asking a certificate's issuer whether it is revoked.
package enum IssuerWord: Sendable, Hashable {
    /// It was not when its issuer was asked.
    case good(at: Timestamp)
    /// The certificate names no address to ask at.
    case nobodyToAsk
    /// The issuer could not be asked, or does not know it; why, as a clause.
    case silent(since: Timestamp, why: String)
}

/// Something that a look beyond the record has found.
package enum CredentialTrouble: Sendable, Hashable {
    /// The issuer's OCSP responder says that the certificate is revoked.
    case revokedByIssuer
    /// Apple refuses the identity; why, as a clause.
    case refusedByApple(_ why: String)
    /// Apple accepts the identity, and something else is unfinished there; what, as a clause.
    case unfinishedAtApple(_ what: String)
    /// The certificate is not what its kind must be; why, as a clause.
    case wrongCertificate(_ why: String)
    /// The key's file is not in the home.
    case keyMissing
}
