package import Clocks

/// A problem that somebody is told of, from the moment it is raised until long after it is over.
///
/// It belongs to a merchant, a kind and a policy, and to an *episode* of them: a new certificate
/// begins a new one, so that what was told of the old certificate does not silence the new.
package struct Alert: Sendable, Hashable {
    package let id: AlertIdentifier
    package let merchant: MerchantIdentifier?
    package let kind: CredentialKind?
    package let policy: PolicyName
    /// What ``Finding/episode`` says of it.
    package let episode: String
    package var stage: AlertStage
    package var urgency: Urgency
    package var summary: String
    package var remedy: String
    /// The expiry that is counted down to.
    package var deadline: Timestamp?
    package let raisedAt: Timestamp
    /// Since when it is in its stage.
    package var stagedAt: Timestamp
    /// When the problem was first found to be gone; nil while it is there.
    package var resolvedAt: Timestamp?
    package var acknowledgement: Acknowledgement?

    /// How it stands: `open`, `acknowledged` in its stage, or `resolved`.
    package var state: String {
        if resolvedAt != nil { return "resolved" }
        guard let acknowledgement, !stage.isWorse(than: acknowledgement.stage) else {
            return "open"
        }
        return "acknowledged"
    }

    /// That somebody has taken it on.
    package struct Acknowledgement: Sendable, Hashable {
        package let at: Timestamp
        /// Who, as the ledger names them.
        package let by: String
        /// The stage that it was in: what comes after is told all the same.
        package let stage: AlertStage

        package init(at: Timestamp, by: String, stage: AlertStage) {
            self.at = at
            self.by = by
            self.stage = stage
        }
    }

    package init(
        id: AlertIdentifier, merchant: MerchantIdentifier?, kind: CredentialKind?,
        policy: PolicyName, episode: String, stage: AlertStage, urgency: Urgency, summary: String,
        remedy: String, deadline: Timestamp?, raisedAt: Timestamp, stagedAt: Timestamp,
        resolvedAt: Timestamp? = nil, acknowledgement: Acknowledgement? = nil
    ) {
        self.id = id
        self.merchant = merchant
        self.kind = kind
        self.policy = policy
        self.episode = episode
        self.stage = stage
        self.urgency = urgency
        self.summary = summary
        self.remedy = remedy
        self.deadline = deadline
        self.raisedAt = raisedAt
        self.stagedAt = stagedAt
        self.resolvedAt = resolvedAt
        self.acknowledgement = acknowledgement
    }

    /// An alert that begins with this finding.
    package init(
        _ finding: Finding, stage: AlertStage, at now: Timestamp, id: AlertIdentifier = .random()
    ) {
        self.init(
            id: id, merchant: finding.merchant, kind: finding.kind, policy: finding.policy,
            episode: finding.episode, stage: stage, urgency: finding.urgency,
            summary: finding.summary, remedy: finding.remedy, deadline: finding.deadline,
            raisedAt: now, stagedAt: now)
    }

    /// Takes on what the finding says now; the stage's time moves with the stage alone.
    package mutating func update(_ finding: Finding, stage: AlertStage, at now: Timestamp) {
        if stage != self.stage {
            self.stage = stage
            stagedAt = now
        }
        urgency = finding.urgency
        summary = finding.summary
        remedy = finding.remedy
        deadline = finding.deadline
    }
}

/// An alert's name.
package struct AlertIdentifier: RandomIdentifier {
    package let text: String

    /// An id for documentation and error examples.
    package static let example = AlertIdentifier(unchecked: "5c0e77d1a9b3")

    package init(unchecked text: String) { self.text = text }

    package static func malformed(_ text: String) -> MerchantsError { .badAlertIdentifier }
}
