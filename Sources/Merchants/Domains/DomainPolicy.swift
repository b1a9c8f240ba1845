package import Clocks

/// What is known of a domain's verification at Apple: from sessions tried for it.
package struct DomainFacts: Sendable, Hashable {
    package let domain: DomainName
    package let merchant: MerchantIdentifier
    package let addedAt: Timestamp
    /// When Apple last gave a session for it.
    package let provenAt: Timestamp?
    /// When Apple last refused one because of it, and what was said.
    package let refusedAt: Timestamp?
    package let refusal: String?

    package init(
        domain: DomainName, merchant: MerchantIdentifier, addedAt: Timestamp,
        provenAt: Timestamp?, refusedAt: Timestamp?, refusal: String?
    ) {
        self.domain = domain
        self.merchant = merchant
        self.addedAt = addedAt
        self.provenAt = provenAt
        self.refusedAt = refusedAt
        self.refusal = refusal
    }
}

extension DomainFacts {
    /// Whether the domain is verified at Apple, or should be; nil where nothing speaks against it.
    ///
    /// The file for a first verification is valid for 7 days (Apple's portal); a domain that was
    /// verified loses it when its site's TLS certificate expires.
    package func finding(at now: Timestamp) -> Finding? {
        guard let refusedAt, refusedAt > (provenAt ?? .distantPast) else { return nil }
        let wasProven = provenAt != nil
        let isOverdue = now.days(since: addedAt) >= 7
        return Finding(
            .domainOverdue, wasProven ? .critical : isOverdue ? .warning : .fine,
            merchant: merchant, subject: domain.text,
            summary: wasProven
                ? "Apple no longer accepts the domain \(domain)"
                : "Apple has not verified the domain \(domain) yet",
            remedy: "verify it in Apple's portal under Merchant Domains, then rehearse again")
    }
}
