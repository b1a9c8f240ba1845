package import Clocks
package import Database
package import Merchants

/// What one receiver has been told of one alert, and how trying goes.
package struct AlertDelivery: Sendable, Hashable {
    package let alert: AlertIdentifier
    /// The receiver: a sort and, behind a colon, which one, such as `mail:shop@example.com`.
    package let channel: String
    /// What it took last; nil when it has taken nothing.
    package var told: AlertLadder.Told?
    /// When it took that the alert is over.
    package var recoveryToldAt: Timestamp?
    /// How often in a row trying has failed.
    package var failures: Int
    package var failingSince: Timestamp?
    /// It is not tried before.
    package var nextAttemptAt: Timestamp?
    /// Why the last try failed; one sentence.
    package var lastError: String?

    /// A receiver that was told nothing yet.
    package init(alert: AlertIdentifier, channel: String) {
        self.alert = alert
        self.channel = channel
        failures = 0
    }
}

/// Who was told what; a row is written after the receiver took it.
package enum AlertDeliveries {
    /// The deliveries of open alerts, and those of others whose recovery is not told.
    ///
    /// - Throws: `DatabaseError`, ``RegistryError/damaged(column:why:)``.
    package static func unfinished(
        in transaction: borrowing Transaction
    ) throws -> [AlertDelivery] {
        try transaction.rows(
            of: """
                SELECT * FROM alert_deliveries WHERE recovery_told_at IS NULL
                ORDER BY alert, channel
                """
        ) { try read($0) }
    }

    /// The receivers of one alert.
    ///
    /// - Throws: `DatabaseError`, ``RegistryError/damaged(column:why:)``.
    package static func list(
        of alert: AlertIdentifier, in transaction: borrowing Transaction
    ) throws -> [AlertDelivery] {
        try transaction.rows(
            of: "SELECT * FROM alert_deliveries WHERE alert = ? ORDER BY channel",
            [.text(alert.text)]
        ) { try read($0) }
    }

    /// Records that the receiver took the alert in this stage.
    ///
    /// - Throws: `DatabaseError`.
    package static func recordTold(
        _ alert: AlertIdentifier, to channel: String, stage: AlertStage, at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO alert_deliveries (alert, channel, stage, told_at)
            VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (alert, channel) DO UPDATE SET stage = ?3, told_at = ?4, failures = 0,
                failing_since = NULL, next_attempt_at = NULL, last_error = NULL
            """,
            [.text(alert.text), .text(channel), .text(stage.text), Value(now)])
    }

    /// Records that the receiver took that the alert is over.
    ///
    /// - Throws: `DatabaseError`.
    package static func recordRecovery(
        _ alert: AlertIdentifier, to channel: String, at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            UPDATE alert_deliveries SET recovery_told_at = ?3, failures = 0,
                failing_since = NULL, next_attempt_at = NULL, last_error = NULL
            WHERE alert = ?1 AND channel = ?2
            """, [.text(alert.text), .text(channel), Value(now)])
    }

    /// Records that the receiver could not be told.
    ///
    /// - Throws: `DatabaseError`.
    package static func recordFailure(
        _ alert: AlertIdentifier, to channel: String, why: String, at now: Timestamp,
        nextAttempt: Timestamp, in transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO alert_deliveries (alert, channel, failures, failing_since,
                next_attempt_at, last_error)
            VALUES (?1, ?2, 1, ?3, ?4, ?5)
            ON CONFLICT (alert, channel) DO UPDATE SET failures = failures + 1,
                failing_since = COALESCE(failing_since, ?3), next_attempt_at = ?4,
                last_error = ?5
            """,
            [.text(alert.text), .text(channel), Value(now), Value(nextAttempt), .text(why)])
    }

    /// Forgets that telling failed, because nothing is to be told there any more.
    ///
    /// - Throws: `DatabaseError`.
    package static func forgetFailure(
        _ alert: AlertIdentifier, to channel: String, in transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            UPDATE alert_deliveries SET failures = 0, failing_since = NULL,
                next_attempt_at = NULL, last_error = NULL
            WHERE alert = ? AND channel = ?
            """, [.text(alert.text), .text(channel)])
    }

    /// Removes what is known of a receiver that will hear no more of the alert.
    ///
    /// - Throws: `DatabaseError`.
    package static func remove(
        _ alert: AlertIdentifier, to channel: String, in transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            "DELETE FROM alert_deliveries WHERE alert = ? AND channel = ?",
            [.text(alert.text), .text(channel)])
    }

    fileprivate static func read(_ row: borrowing Row) throws -> AlertDelivery {
        var delivery = AlertDelivery(
            alert: try row.alert("alert"), channel: try row.text("channel"))
        if let at = try row.optionalTime("told_at") {
            delivery.told = .init(stage: try row.stage("stage"), at: at)
        }
        delivery.recoveryToldAt = try row.optionalTime("recovery_told_at")
        delivery.failures = Int(clamping: try row.integer("failures"))
        delivery.failingSince = try row.optionalTime("failing_since")
        delivery.nextAttemptAt = try row.optionalTime("next_attempt_at")
        delivery.lastError = try row.optionalText("last_error")
        return delivery
    }
}

extension AlertRecords {
    /// Deliveries that have failed at every try since `since` or earlier, the longest first.
    ///
    /// - Throws: `DatabaseError`, ``RegistryError/damaged(column:why:)``.
    package static func undelivered(
        since: Timestamp, in transaction: borrowing Transaction
    ) throws -> [AlertDelivery] {
        try transaction.rows(
            of: """
                SELECT * FROM alert_deliveries
                WHERE recovery_told_at IS NULL AND failing_since <= ?
                ORDER BY failing_since, alert, channel
                """, [Value(since)]
        ) { try AlertDeliveries.read($0) }
    }
}
