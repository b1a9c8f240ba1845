package import Clocks
package import Merchants
import Registry

/// What was seen of one site, and what that comes to.
package struct SiteLook: Sendable {
    package let site: Site
    /// What is wrong first; ``SiteOutcome/served`` where nothing is.
    package let outcome: SiteOutcome
    /// A clause about it; empty where there is nothing to add.
    package let why: String
    /// When the site's own certificate expires; nil where none was shown.
    package let notAfter: Timestamp?
    /// Such as `TLSv1.3`.
    package let tlsVersion: String?
    /// In digits; nil where there was no way to any.
    package let address: String?
    /// What each path has come to; empty where the connection came to nothing.
    package let paths: [Path]
    package let at: Timestamp

    /// What one of the paths has come to.
    package struct Path: Sendable, Hashable {
        package let path: String
        /// Nil where no answer came.
        package let status: Int?
        package let outcome: SiteOutcome
        package let why: String

        package init(path: String, status: Int?, outcome: SiteOutcome, why: String) {
            self.path = path
            self.status = status
            self.outcome = outcome
            self.why = why
        }
    }

    /// Which of the paths decides: any that is wrong, for it is not known which one Apple fetches; but
    /// one may be absent where the other is right.
    static func judge(_ paths: [Path]) -> (outcome: SiteOutcome, why: String) {
        let isServed = paths.contains { $0.outcome == .served }
        let wrong = paths.first { $0.outcome != .served && $0.outcome != .absent }
        if let wrong { return (wrong.outcome, wrong.why) }
        return isServed ? (.served, "") : (.absent, paths.first?.why ?? "")
    }

    var observation: Observation {
        Sites.observation(
            outcome, of: site.domain, of: site.merchant, why: why, notAfter: notAfter, at: at)
    }

    /// As the policies see it.
    package var facts: SiteFacts {
        SiteFacts(
            merchant: site.merchant, domain: site.domain, outcome: outcome, why: why,
            notAfter: notAfter, at: at, since: at)
    }
}
