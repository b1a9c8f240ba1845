package import Clocks

/// What became of looking at a domain's site as Apple does.
package enum SiteOutcome: String, Sendable, Hashable, CaseIterable {
    /// The association file is there, and right.
    case served
    /// Nobody answered, or the way there is closed: it may be this machine's trouble.
    case unreachable
    /// Whoever answers speaks no TLS 1.2 or later that one could agree with.
    case noTLS = "no-tls"
    /// Its certificate verifies to no root that this machine knows.
    case untrusted
    /// It shows its own certificate without those that lead to a root.
    case incompleteChain = "incomplete-chain"
    /// Its certificate has expired, or is not valid yet.
    case outOfDate = "certificate-out-of-date"
    /// Its certificate is for other names.
    case wrongName = "wrong-name"
    /// There is no file under either name.
    case absent
    /// It sends Apple elsewhere, which Apple does not follow.
    case redirected
    /// It answers with another status than 200.
    case wrongStatus = "wrong-status"
    /// It serves other bytes than the file that is kept here.
    case otherBytes = "other-bytes"
    /// It serves the file of another merchant of this home.
    case otherMerchant = "other-merchant"
    /// What it serves is no association file for this domain and team.
    case wrongFile = "wrong-file"
}

/// What was seen of a domain's site the last time.
package struct SiteFacts: Sendable, Hashable {
    package let merchant: MerchantIdentifier
    package let domain: DomainName
    package let outcome: SiteOutcome
    /// A clause about the outcome, safe to show; empty where there is nothing to add.
    package let why: String
    /// When the site's own certificate expires; nil where none was seen.
    package let notAfter: Timestamp?
    /// When it was looked at, and since when every look came to this.
    package let at: Timestamp
    package let since: Timestamp

    package init(
        merchant: MerchantIdentifier, domain: DomainName, outcome: SiteOutcome, why: String,
        notAfter: Timestamp?, at: Timestamp, since: Timestamp
    ) {
        self.merchant = merchant
        self.domain = domain
        self.outcome = outcome
        self.why = why
        self.notAfter = notAfter
        self.at = at
        self.since = since
    }
}

// MARK: - Apple's dates

extension SiteFacts {
    /// Days before the site's certificate expires on which Apple looks again.
    package static let recheckDays: [Int64] = [30, 15, 7]

    /// When Apple looks again, the next first: 30, 15 and 7 days before a certificate expires that
    /// ends at `notAfter`, as far as those lie ahead.
    package static func rechecks(before notAfter: Timestamp, at now: Timestamp) -> [Timestamp] {
        recheckDays.map { notAfter.adding(days: -$0) }.filter { $0 > now }
    }

    /// Hours for which a site may be out of reach before anybody is told: the trouble may be here.
    private static let patienceSeconds: Int64 = 3 * 3_600
}

// MARK: - Findings

extension SiteFacts {
    /// What is to be said of the file, and of the site's certificate.
    package func findings(at now: Timestamp) -> [Finding] {
        [fileFinding(at: now)] + (notAfter.map { [expiryFinding($0, at: now)] } ?? [])
    }

    /// Apple looks for the file when the domain is verified, and again before the site's certificate
    /// expires: a fault must be gone by the last of those dates.
    private func fileFinding(at now: Timestamp) -> Finding {
        let last = notAfter.map { now >= $0.adding(days: -(Self.recheckDays.last ?? 0)) } ?? false
        let urgency: Urgency
        switch outcome {
        case .served: urgency = .fine
        case .unreachable:
            urgency = now >= since.adding(seconds: Self.patienceSeconds) ? .warning : .fine
        case .outOfDate: urgency = .critical
        default: urgency = last ? .critical : .warning
        }
        return Finding(
            .domainFile, urgency, merchant: merchant, subject: domain.text,
            summary: outcome.summary(of: domain) + (why.isEmpty ? "" : ": \(why)"),
            remedy: outcome.remedy(for: domain, of: merchant))
    }

    /// A verification lapses with the site's certificate; who renews it in time loses nothing.
    private func expiryFinding(_ notAfter: Timestamp, at now: Timestamp) -> Finding {
        let days = notAfter.days(since: now)
        let next = Self.rechecks(before: notAfter, at: now).map(\.day)
        let isOver = now >= notAfter
        return Finding(
            .siteExpiry, isOver ? .critical : days < 7 ? .warning : .fine, merchant: merchant,
            subject: domain.text,
            summary: isOver
                ? "the TLS certificate of \(domain) expired on \(notAfter.day), and with it "
                    + "Apple's verification"
                : "the TLS certificate of \(domain) lasts until \(notAfter.day)"
                    + (next.isEmpty
                        ? "" : "; Apple looks again on \(next.joined(separator: ", "))"),
            remedy: isOver || days < 7 ? "renew the site's TLS certificate" : "")
    }
}

extension Timestamp {
    /// The date alone, in UTC.
    fileprivate var day: String { String(description.prefix(10)) }
}

extension SiteOutcome {
    /// One sentence about a site; lower case, without a full stop.
    package func summary(of domain: DomainName) -> String {
        switch self {
        case .served: "\(domain) serves its association file"
        case .unreachable: "\(domain) cannot be reached"
        case .noTLS: "\(domain) cannot be spoken to by TLS 1.2 or later"
        case .untrusted: "\(domain) shows a certificate that is not trusted"
        case .incompleteChain: "\(domain) shows its certificate without the chain to a root"
        case .outOfDate: "\(domain) shows a certificate that is not valid now"
        case .wrongName: "\(domain) shows a certificate for other names"
        case .absent: "\(domain) does not serve its association file"
        case .redirected: "\(domain) redirects the path of its association file"
        case .wrongStatus: "\(domain) does not answer with its association file"
        case .otherBytes: "\(domain) serves another association file than the one kept here"
        case .otherMerchant: "\(domain) serves the association file of another merchant"
        case .wrongFile: "\(domain) serves a file that Apple would not take"
        }
    }

    /// What to do, imperative; empty for what is right.
    package func remedy(for domain: DomainName, of merchant: MerchantIdentifier) -> String {
        switch self {
        case .served: ""
        case .unreachable:
            "see whether the site is up, and reachable from here: curl -I https://\(domain)"
        case .noTLS: "let the site speak TLS 1.2 or 1.3"
        case .untrusted: "use a certificate of a public authority: Apple trusts no other"
        case .incompleteChain: "configure the full chain, such as certbot's fullchain.pem"
        case .outOfDate:
            "renew the site's TLS certificate; then verify the domain in Apple's portal"
        case .wrongName: "use a certificate that names \(domain)"
        case .absent, .wrongStatus:
            "let the site pass \(AssociationFacts.paths.first ?? "") on to this service, or copy it"
        case .redirected: "serve the file at this very path and host: Apple follows no redirect"
        case .otherBytes:
            "copy the file again, or keep the one served: purser domain add \(merchant) \(domain)"
        case .otherMerchant:
            "serve this one's while Apple verifies it; a site has one file at a time"
        case .wrongFile: "put the file from Apple there unchanged, for this domain and team"
        }
    }
}
