package import Clocks
package import Database
import Merchants

/// Numbers about a home, for metrics: read row by row, in constant memory.
///
/// Values come as they are kept and are not judged: damage in one record must not hide the figures
/// of all others.
package enum HomeFigures {
    /// A certificate that is in use, was until a moment ago, or waits for its use.
    package struct Certificate: Sendable, Hashable {
        package let merchant: String
        package let kind: String
        package let credential: String
        /// `issued`, `active` or `retiring`.
        package let state: String
        package let serial: String
        package let notBefore: Timestamp
        package let notAfter: Timestamp
    }

    /// Hands the longest certificate of each credential to `body` that is issued, active or retiring;
    /// those that are superseded or given up would only grow in number.
    ///
    /// - Throws: `DatabaseError`, and what `body` throws.
    package static func forEachCertificate(
        in transaction: borrowing Transaction, _ body: (Certificate) throws -> Void
    ) throws {
        try transaction.forEachRow(
            of: """
                SELECT c.merchant, c.kind, c.id, c.state, x.serial, x.not_before, x.not_after
                FROM credentials AS c INDEXED BY credentials_in_order
                CROSS JOIN certificates AS x ON x.fingerprint = (
                    SELECT fingerprint FROM certificates WHERE credential = c.id
                    ORDER BY not_after DESC, not_before DESC, fingerprint LIMIT 1)
                WHERE c.state IN ('issued', 'active', 'retiring')
                ORDER BY c.merchant, c.kind, c.created_at, c.id
                """
        ) { row in
            try body(
                Certificate(
                    merchant: row.text("merchant"), kind: row.text("kind"),
                    credential: row.text("id"), state: row.text("state"),
                    serial: row.text("serial"),
                    notBefore: Timestamp(seconds: row.integer("not_before")),
                    notAfter: Timestamp(seconds: row.integer("not_after"))))
            return true
        }
    }

    /// What the watch has seen of a domain's site.
    package struct Site: Sendable, Hashable {
        package let merchant: String
        package let domain: String
        /// Of `SiteOutcome`.
        package let outcome: String
        /// Seconds since 1970; nil where no certificate was seen.
        package let notAfter: Int64?
    }

    /// Hands over the sites of the domains of merchants in service that were looked at.
    ///
    /// - Throws: `DatabaseError`, and what `body` throws.
    package static func forEachSite(
        in transaction: borrowing Transaction, _ body: (Site) throws -> Void
    ) throws {
        try transaction.forEachRow(of: Sites.query, [nil]) { row in
            try body(
                Site(
                    merchant: row.text("merchant"), domain: row.text("domain"),
                    outcome: row.text("outcome"),
                    notAfter: Sites.parts(of: row.text("detail")).notAfter))
            return true
        }
    }

    /// How many credentials there are of a kind, custody and state.
    package struct CredentialCount: Sendable, Hashable {
        package let kind: String
        package let custody: String
        package let state: String
        package let count: Int64
    }

    /// The counts that are not 0.
    ///
    /// - Throws: `DatabaseError`.
    package static func credentialCounts(
        in transaction: borrowing Transaction
    ) throws -> [CredentialCount] {
        try transaction.rows(
            of: """
                SELECT kind, custody, state, count(*) AS credentials FROM credentials
                GROUP BY kind, custody, state
                """
        ) {
            CredentialCount(
                kind: try $0.text("kind"), custody: try $0.text("custody"),
                state: try $0.text("state"), count: try $0.integer("credentials"))
        }
    }

    /// The merchants that are not retired, by name.
    ///
    /// - Throws: `DatabaseError`.
    package static func merchants(in transaction: borrowing Transaction) throws -> [String] {
        try transaction.rows(of: "SELECT id FROM merchants WHERE retired_at IS NULL ORDER BY id") {
            try $0.text("id")
        }
    }

    /// Open alerts by urgency, of those that are not 0.
    ///
    /// - Throws: `DatabaseError`.
    package static func openAlerts(
        in transaction: borrowing Transaction
    ) throws -> [String: Int64] {
        var counts: [String: Int64] = [:]
        try transaction.forEachRow(
            of: """
                SELECT urgency, count(*) AS alerts FROM alerts
                WHERE resolved_at IS NULL GROUP BY urgency
                """
        ) {
            counts[try $0.text("urgency")] = try $0.integer("alerts")
            return true
        }
        return counts
    }

    /// What one sort of channel has taken and refused since the home was made.
    package struct AlertTally: Sendable, Hashable {
        /// Such as `mail`.
        package let channel: String
        package let sent: Int64
        package let failed: Int64
        /// Alerts that it has not taken since their last failure.
        package let undelivered: Int64
        /// Since when the oldest of them fails.
        package let failingSince: Timestamp?
    }

    /// The tallies, by channel.
    ///
    /// - Throws: `DatabaseError`.
    package static func alertTallies(
        in transaction: borrowing Transaction
    ) throws -> [AlertTally] {
        try transaction.rows(
            of: """
                SELECT t.channel, t.sent, t.failed, count(d.failing_since) AS undelivered,
                    min(d.failing_since) AS since
                FROM alert_tallies AS t LEFT JOIN alert_deliveries AS d
                    ON d.failing_since IS NOT NULL
                    AND substr(d.channel, 1, instr(d.channel || ':', ':') - 1) = t.channel
                GROUP BY t.channel ORDER BY t.channel
                """
        ) {
            AlertTally(
                channel: try $0.text("channel"), sent: try $0.integer("sent"),
                failed: try $0.integer("failed"), undelivered: try $0.integer("undelivered"),
                failingSince: try $0.optionalInteger("since").map(Timestamp.init(seconds:)))
        }
    }

    /// How many credentials of each merchant wait for a person since they were rolled back.
    ///
    /// - Throws: `DatabaseError`.
    package static func rolledBack(
        in transaction: borrowing Transaction
    ) throws -> [(merchant: String, count: Int64)] {
        try transaction.rows(
            of: """
                SELECT merchant, count(*) AS credentials FROM credentials
                WHERE rolled_back_at IS NOT NULL AND state = 'issued'
                GROUP BY merchant ORDER BY merchant
                """
        ) { (try $0.text("merchant"), try $0.integer("credentials")) }
    }
}
