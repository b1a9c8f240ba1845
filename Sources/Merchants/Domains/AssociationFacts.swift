package import Clocks

/// What Apple's domain association file says of itself, and what of it is wrong for a merchant.
///
/// Apple fetches it from a shop's site to see that the shop is its merchant's ("Setting up your
/// server").
package struct AssociationFacts: Sendable, Hashable {
    /// Where it comes from.
    package enum Form: String, Sendable, Hashable, CaseIterable {
        /// From the developer portal: for one domain of one team.
        case portal
        /// From a payment provider that registers its shops by itself: one file for all of them.
        case platform
    }

    package let form: Form
    /// The team it was made for; portal form only.
    package let team: String?
    /// The domain it was made for, as Apple wrote it; portal form only.
    package let domain: String?
    /// `pspId`, the provider's number; platform form only.
    package let provider: String?
    package let version: Int
    /// When it was made: by its signature, or in the platform form by what the signature covers.
    package let createdAt: Timestamp?

    package init(
        form: Form, team: String?, domain: String?, provider: String?, version: Int,
        createdAt: Timestamp?
    ) {
        self.form = form
        self.team = team
        self.domain = domain
        self.provider = provider
        self.version = version
        self.createdAt = createdAt
    }

    /// Bytes of the largest file that is read: Apple's have fewer than 10,000.
    package static let sizeLimit = 65_536
    /// For how many days a new file serves for a first verification.
    package static let firstDays: Int64 = 7
    /// The version that is known.
    package static let knownVersion = 1
    /// The paths at which Apple looks for it; either will do.
    package static let paths = [
        "/.well-known/apple-developer-merchantid-domain-association",
        "/.well-known/apple-developer-merchantid-domain-association.txt",
    ]
}

// MARK: - Rules

extension AssociationFacts {
    /// Refuses a file that was made for another domain, or for another team than all of `teams`.
    ///
    /// Without a team there is nothing to compare with: see ``warnings(teams:isProven:at:)``. The
    /// platform form names neither.
    ///
    /// - Throws: ``AssociationFault/otherDomain(_:wanted:)``, ``AssociationFault/otherTeam(_:wanted:)``.
    package func check(
        for wanted: DomainName, teams: Set<String>
    ) throws(AssociationFault) {
        guard form == .portal else { return }
        let named = domain.flatMap { try? DomainName($0) }
        guard named == wanted else { throw .otherDomain(domain ?? "", wanted: wanted) }
        guard let team, !teams.isEmpty else { return }
        guard teams.contains(team) else { throw .otherTeam(team, wanted: teams.sorted()) }
    }

    /// What does not speak against the file but should be known; `isProven`: Apple gives sessions for
    /// the domain already.
    package func warnings(
        teams: Set<String>, isProven: Bool, at now: Timestamp
    ) -> [AssociationWarning] {
        var warnings: [AssociationWarning] = []
        if form == .portal, let team, teams.isEmpty { warnings.append(.teamNotCompared(team)) }
        if form == .portal, !isProven, let createdAt,
            now.days(since: createdAt) >= Self.firstDays
        {
            warnings.append(.tooOldForFirst(createdAt))
        }
        if version != Self.knownVersion { warnings.append(.unknownVersion(version)) }
        return warnings
    }
}

/// What should be known of an association file that is taken.
package enum AssociationWarning: Sendable, Hashable {
    /// The merchant has no team, and no certificate that names one.
    case teamNotCompared(String)
    /// Apple takes a new file for seven days when it verifies a domain for the first time.
    case tooOldForFirst(Timestamp)
    case unknownVersion(Int)
    /// The roots that its signature would be verified with are not in the home.
    case unverified
    /// Another merchant's file for the same domain was being served, and this one is from now on.
    case replacesServed(MerchantIdentifier)

    /// One sentence: lower case, without a full stop.
    package var text: String {
        switch self {
        case .teamNotCompared(let team):
            "the file is for team \(team), which nothing here confirms or denies"
        case .tooOldForFirst(let date):
            "the file is of \(date); for a first verification Apple takes it for 7 days"
        case .unknownVersion(let version): "the file is of version \(version), which is not known"
        case .unverified: "the file's signature is not verified: Apple's roots are not here"
        case .replacesServed(let other):
            "the file of \(other) for this domain is not served any more: a site has one"
        }
    }

    /// What to do, imperative.
    package func hint(for merchant: MerchantIdentifier, realm: RealmName) -> String {
        switch self {
        case .teamNotCompared(let team):
            "if that is right: purser merchant set \(merchant) --team \(team)"
        case .tooOldForFirst:
            "download a new one in Apple's portal if the domain is not verified yet"
        case .unknownVersion: "make sure that it is the newest from Apple"
        case .unverified where realm == .apple: "purser trust fetch"
        case .unverified: "name the realm's roots: purser environment add NAME --apple-root FILE"
        case .replacesServed: "let Apple verify this one, then add the other's again if Apple asks"
        }
    }
}
