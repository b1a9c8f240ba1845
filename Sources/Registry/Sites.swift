package import Clocks
package import Database
package import Merchants

/// What the watch has seen of domains' sites: the observations of sort `site`, read as facts.
package enum Sites {
    /// The subject under which a domain of a merchant is observed.
    package static func subject(_ domain: DomainName, of merchant: MerchantIdentifier) -> String {
        "\(merchant) \(domain)"
    }

    /// What was seen, as it is recorded: the end of the site's certificate in seconds since 1970 (`-`
    /// where none was seen), a blank, and why.
    package static func observation(
        _ outcome: SiteOutcome, of domain: DomainName, of merchant: MerchantIdentifier, why: String,
        notAfter: Timestamp?, at time: Timestamp
    ) -> Observation {
        Observation(
            .site, of: subject(domain, of: merchant), outcome: outcome.rawValue,
            detail: "\(notAfter.map { String($0.seconds) } ?? "-") \(why)", at: time)
    }

    /// Hands over what was seen of each registered domain of merchants in service, by merchant; of one
    /// merchant where given.
    ///
    /// - Throws: `DatabaseError`, ``RegistryError/damaged(column:why:)``, what `body` throws.
    package static func forEach(
        of merchant: MerchantIdentifier? = nil, in transaction: borrowing Transaction,
        _ body: (SiteFacts) throws -> Void
    ) throws {
        try transaction.forEachRow(of: query, [Value(merchant?.text)]) { row in
            let (notAfter, why) = parts(of: try row.text("detail"))
            try body(
                SiteFacts(
                    merchant: try row.merchant("merchant"), domain: try row.domain("domain"),
                    outcome: try row.oneOf("outcome"), why: why,
                    notAfter: notAfter.map(Timestamp.init(seconds:)), at: try row.time("at"),
                    since: try row.time("since")))
            return true
        }
    }

    static let query: SQL = """
        SELECT d.merchant, d.domain, o.outcome, o.detail, o.at, o.since
        FROM domains AS d JOIN merchants AS m ON m.id = d.merchant
        JOIN observations AS o ON o.sort = 'site' AND o.subject = d.merchant || ' ' || d.domain
        WHERE m.retired_at IS NULL AND (?1 IS NULL OR d.merchant = ?1)
        ORDER BY d.merchant, d.domain
        """

    static func parts(of detail: String) -> (notAfter: Int64?, why: String) {
        let parts = detail.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        return (parts.first.flatMap { Int64($0) }, parts.count > 1 ? String(parts[1]) : "")
    }
}
