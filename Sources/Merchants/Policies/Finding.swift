package import Clocks

/// What one policy says of a merchant, of one of its kinds, or of the home.
///
/// Whether it is worth somebody's attention is its ``urgency``: `fine` is said for completeness.
package struct Finding: Sendable, Hashable {
    package let policy: PolicyName
    package let urgency: Urgency
    /// Nil for what concerns the home as a whole.
    package let merchant: MerchantIdentifier?
    package let kind: CredentialKind?
    /// The credential that it is about, where it is about one.
    package let credential: CredentialIdentifier?
    /// What it is about beside them, such as a domain or an environment.
    ///
    /// It tells findings of one policy apart; nil where there can be only one.
    package let subject: String?
    /// The expiry that is counted down to; nil for what has no date.
    package let deadline: Timestamp?
    /// One sentence, lower case, without full stop; safe to show anyone.
    package let summary: String
    /// The next step, imperative; empty where nothing is to be done.
    package let remedy: String

    package init(
        _ policy: PolicyName, _ urgency: Urgency, merchant: MerchantIdentifier? = nil,
        kind: CredentialKind? = nil, credential: CredentialIdentifier? = nil,
        subject: String? = nil, deadline: Timestamp? = nil, summary: String, remedy: String = ""
    ) {
        self.policy = policy
        self.urgency = urgency
        self.merchant = merchant
        self.kind = kind
        self.credential = credential
        self.subject = subject
        self.deadline = deadline
        self.summary = summary
        self.remedy = remedy
    }
}

/// The policies by the name under which their findings are shown, recorded and alerted; names are
/// never changed once used.
package enum PolicyName: String, Sendable, Hashable, CaseIterable, Codable {
    /// A certificate that is needed is not there.
    case missing
    /// A provider holds the key, or the key's file is not in the home.
    case keyElsewhere = "key-elsewhere"
    /// The certificate is not what its kind must be.
    case wrongCertificate = "wrong-certificate"
    /// How long the best usable credential lasts. Always said: its deadline is what alerts count by.
    case expiry
    /// A processing certificate waits for its activation at Apple.
    case notActivated = "not-activated"
    /// Several candidates wait, and nobody has said which is meant.
    case twoCandidates = "two-candidates"
    /// Apple's limit of certificates is reached.
    case nearLimit = "near-limit"
    /// A domain is not verified at Apple although it should be.
    case domainOverdue = "domain-overdue"
    /// A domain's site does not serve its association file as Apple wants it.
    case domainFile = "domain-file"
    /// How long the certificate of a domain's site lasts, and with it Apple's verification.
    case siteExpiry = "site-expiry"
    /// A rotation has not moved for too long.
    case rotationStalled = "rotation-stalled"
    /// The certificate's team is another than before.
    case teamChanged = "team-changed"
    /// Its issuer says that the certificate is revoked.
    case revoked
    /// Apple refuses the identity that is in use.
    case refused
    /// Services have gone back to the old identity.
    case rolledBack = "rolled-back"
    /// A gateway cannot be reached.
    case gateway
    /// The watch has not run for too long.
    case watchAsleep = "watch-asleep"
    /// An alert has not reached its receiver for too long.
    case alertUndelivered = "alert-undelivered"
}
