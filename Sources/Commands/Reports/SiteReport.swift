import Clocks
import Documents
import Merchants
import Watch

/// What was seen of domains' sites, as JSON and as text; its keys are a contract.
struct SiteReport: Report {
    let sites: [Entry]

    struct Entry: Encodable, Sendable {
        let merchant: String
        let domain: String
        /// Of `SiteOutcome`: `served` where nothing is wrong.
        let outcome: String
        let summary: String
        @OrNull var remedy: String?
        /// Whether a file is kept here to compare with.
        let fileKept: Bool
        @OrNull var address: String?
        @OrNull var tlsVersion: String?
        /// When the site's own certificate expires.
        @OrNull var notAfter: Timestamp?
        /// When Apple looks again, as far as it is told.
        let rechecks: [Timestamp]
        let paths: [Path]
        /// Warnings beside the outcome, each a sentence.
        let warnings: [String]
    }

    struct Path: Encodable, Sendable {
        let path: String
        @OrNull var status: Int?
        let outcome: String
        let why: String
    }

    init(_ looks: [SiteLook], now: Timestamp) {
        sites = looks.map { look in
            let domain = look.site.domain
            let expiry = look.facts.findings(at: now).first {
                $0.policy == .siteExpiry && $0.urgency > .fine
            }
            let remedy = look.outcome.remedy(for: domain, of: look.site.merchant)
            return Entry(
                merchant: look.site.merchant.text, domain: domain.text,
                outcome: look.outcome.rawValue,
                summary: look.outcome.summary(of: domain)
                    + (look.why.isEmpty ? "" : ": \(look.why)"),
                remedy: remedy.isEmpty ? nil : remedy, fileKept: look.site.kept != nil,
                address: look.address, tlsVersion: look.tlsVersion, notAfter: look.notAfter,
                rechecks: look.notAfter.map { SiteFacts.rechecks(before: $0, at: now) } ?? [],
                paths: look.paths.map {
                    Path(
                        path: $0.path, status: $0.status, outcome: $0.outcome.rawValue, why: $0.why)
                }, warnings: expiry.map { [$0.summary] } ?? [])
        }
    }

    func encode(to encoder: any Encoder) throws { try sites.encode(to: encoder) }

    func text(width: Int) -> String {
        sites.isEmpty ? "no domain is registered\n" : sites.map(\.text).joined(separator: "\n")
    }
}

extension SiteReport.Entry {
    fileprivate var text: String {
        let files = paths.map { path in
            let name = path.path.hasSuffix(".txt") ? "with .txt" : "without .txt"
            let what = path.outcome == "served" ? "right" : path.outcome
            return (name, (path.why.isEmpty ? what : "\(what), \(path.why)") as String?)
        }
        return FieldList(
            [
                ("domain", domain), ("merchant", merchant),
                (outcome == "served" ? "right" : "wrong", summary), ("next", remedy),
                ("address", address), ("TLS", tlsVersion),
            ] + files + [
                ("certificate until", notAfter?.description),
                (
                    "Apple looks again",
                    rechecks.isEmpty ? nil : rechecks.map(\.description).joined(separator: ", ")
                ),
            ] + warnings.map { ("beware", $0 as String?) }
        ).rendered
    }
}
