package import Clocks
package import Database

/// The newest outcome of a check of something beyond the database.
package struct Observation: Sendable, Hashable {
    /// What was looked at.
    package enum Sort: String, Sendable, Hashable, CaseIterable {
        /// What an issuer's OCSP responder says of a credential's certificate; outcomes `good`,
        /// `revoked`, `unknown`, `failed`, `unnamed` (no address to ask at). The subject is the credential's id.
        case ocsp
        /// A rehearsal of an active identity; outcomes are those of `RehearsalVerdict`. The subject
        /// is the credential's id.
        case rehearsal
        /// Whether a gateway answers; outcomes `healthy`, `failed`. The subject is the environment.
        case gateway
        /// A domain's site, seen as Apple sees it; outcomes are those of `SiteOutcome`. The subject is
        /// the merchant's identifier, a blank and the domain; see ``Sites``.
        case site
        /// A run of the watch, of `renew --commit` or of the heartbeat; outcomes `done`, `failed`.
        /// The subject is empty.
        case watch, renew, heartbeat
    }

    package let sort: Sort
    package let subject: String
    package let outcome: String
    /// One sentence, safe to show; empty where there is nothing to add.
    package let detail: String
    package let at: Timestamp
    /// Since when every look had this outcome.
    package let since: Timestamp

    package init(
        _ sort: Sort, of subject: String = "", outcome: String, detail: String = "",
        at: Timestamp, since: Timestamp? = nil
    ) {
        self.sort = sort
        self.subject = subject
        self.outcome = outcome
        self.detail = detail
        self.at = at
        self.since = since ?? at
    }
}

/// What the watch has seen; a new look replaces the one before.
package enum Observations {
    /// Records a look.
    ///
    /// ``Observation/since`` stays while the outcome does.
    ///
    /// - Throws: `DatabaseError`.
    package static func record(
        _ seen: Observation, in transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO observations (sort, subject, outcome, detail, at, since)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT (sort, subject) DO UPDATE SET
                since = CASE WHEN outcome = ?3 THEN since ELSE ?6 END,
                outcome = ?3, detail = ?4, at = ?5
            """,
            [
                .text(seen.sort.rawValue), .text(seen.subject), .text(seen.outcome),
                .text(seen.detail), Value(seen.at), Value(seen.since),
            ])
    }

    /// The newest look of this sort; nil when there was none.
    ///
    /// - Throws: `DatabaseError`.
    package static func find(
        _ sort: Observation.Sort, of subject: String = "", in transaction: borrowing Transaction
    ) throws -> Observation? {
        try transaction.firstRow(
            of: "SELECT * FROM observations WHERE sort = ? AND subject = ?",
            [.text(sort.rawValue), .text(subject)]
        ) { try read($0, sort) }
    }

    /// The newest looks of this sort, by subject.
    ///
    /// - Throws: `DatabaseError`.
    package static func list(
        _ sort: Observation.Sort, in transaction: borrowing Transaction
    ) throws -> [Observation] {
        try transaction.rows(
            of: "SELECT * FROM observations WHERE sort = ? ORDER BY subject",
            [.text(sort.rawValue)]
        ) { try read($0, sort) }
    }

    /// Forgets the looks of this sort at all but these subjects: at what is not looked at any more.
    ///
    /// - Throws: `DatabaseError`.
    package static func forget(
        _ sort: Observation.Sort, except subjects: Set<String>,
        in transaction: borrowing Transaction
    ) throws {
        for seen in try list(sort, in: transaction) where !subjects.contains(seen.subject) {
            try transaction.execute(
                "DELETE FROM observations WHERE sort = ? AND subject = ?",
                [.text(sort.rawValue), .text(seen.subject)])
        }
    }

    private static func read(
        _ row: borrowing Row, _ sort: Observation.Sort
    ) throws -> Observation {
        Observation(
            sort, of: try row.text("subject"), outcome: try row.text("outcome"),
            detail: try row.text("detail"), at: try row.time("at"), since: try row.time("since"))
    }
}
