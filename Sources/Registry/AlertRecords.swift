package import Clocks
package import Database
package import Merchants

/// The alerts of a home; none is ever removed.
package enum AlertRecords {
    /// The alerts whose problem is still there, the oldest first.
    ///
    /// - Throws: `DatabaseError`, ``RegistryError/damaged(column:why:)``.
    package static func open(in transaction: borrowing Transaction) throws -> [Alert] {
        try transaction.rows(
            of: "SELECT * FROM alerts WHERE resolved_at IS NULL ORDER BY raised_at, id"
        ) { try read($0) }
    }

    /// The open alerts, and those that are over of which a receiver could not be told that: the
    /// oldest first.
    ///
    /// - Throws: `DatabaseError`, ``RegistryError/damaged(column:why:)``.
    package static func unfinished(in transaction: borrowing Transaction) throws -> [Alert] {
        try transaction.rows(
            of: """
                SELECT * FROM alerts WHERE resolved_at IS NULL OR id IN
                    (SELECT alert FROM alert_deliveries
                     WHERE recovery_told_at IS NULL AND failing_since IS NOT NULL)
                ORDER BY raised_at, id
                """
        ) { try read($0) }
    }

    /// All alerts, the oldest first.
    ///
    /// - Throws: `DatabaseError`, ``RegistryError/damaged(column:why:)``.
    package static func all(in transaction: borrowing Transaction) throws -> [Alert] {
        try transaction.rows(of: "SELECT * FROM alerts ORDER BY raised_at, id") { try read($0) }
    }

    /// Alerts that are over, of which somebody who was told of them has not been told that.
    ///
    /// - Throws: `DatabaseError`, ``RegistryError/damaged(column:why:)``.
    package static func untoldRecoveries(in transaction: borrowing Transaction) throws -> [Alert] {
        try transaction.rows(
            of: """
                SELECT * FROM alerts WHERE resolved_at IS NOT NULL AND id IN
                    (SELECT alert FROM alert_deliveries
                     WHERE recovery_told_at IS NULL AND told_at IS NOT NULL)
                ORDER BY resolved_at, id
                """
        ) { try read($0) }
    }

    /// - Throws: ``RegistryError/alertUnknown(_:)``, ``RegistryError/damaged(column:why:)``,
    ///   `DatabaseError`.
    package static func find(
        _ id: AlertIdentifier, in transaction: borrowing Transaction
    ) throws -> Alert {
        let found = try transaction.firstRow(
            of: "SELECT * FROM alerts WHERE id = ?", [.text(id.text)]
        ) { try read($0) }
        guard let found else { throw RegistryError.alertUnknown(id) }
        return found
    }

    /// Writes what a plan has changed.
    ///
    /// - Throws: `DatabaseError`.
    package static func apply(_ plan: AlertPlan, in transaction: borrowing Transaction) throws {
        for alert in plan.raised { try insert(alert, in: transaction) }
        for alert in plan.changed { try update(alert, in: transaction) }
        for alert in plan.resolved { try update(alert, in: transaction) }
    }

    /// Records that somebody has taken an open alert on, in the stage that it is in.
    ///
    /// - Returns: the alert as it is now, and whether that is news: it is none when it was
    ///   acknowledged in this stage before.
    /// - Throws: ``RegistryError/alertUnknown(_:)``, ``RegistryError/alertOver(_:)``,
    ///   `DatabaseError`.
    package static func acknowledge(
        _ id: AlertIdentifier, by actor: String, at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> (alert: Alert, isChanged: Bool) {
        var alert = try find(id, in: transaction)
        guard alert.resolvedAt == nil else { throw RegistryError.alertOver(id) }
        if let before = alert.acknowledgement, !alert.stage.isWorse(than: before.stage) {
            return (alert, false)
        }
        alert.acknowledgement = .init(at: now, by: actor, stage: alert.stage)
        try update(alert, in: transaction)
        return (alert, true)
    }

    // MARK: - Rows

    private static func insert(_ alert: Alert, in transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            INSERT INTO alerts (id, merchant, kind, policy, episode, stage, urgency, summary,
                remedy, deadline, raised_at, staged_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(alert.id.text), Value(alert.merchant?.text), Value(alert.kind?.rawValue),
                .text(alert.policy.rawValue), .text(alert.episode), .text(alert.stage.text),
                .text(alert.urgency.name), .text(alert.summary), .text(alert.remedy),
                Value(alert.deadline), Value(alert.raisedAt), Value(alert.stagedAt),
            ])
    }

    private static func update(_ alert: Alert, in transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            UPDATE alerts SET stage = ?, urgency = ?, summary = ?, remedy = ?, deadline = ?,
                staged_at = ?, resolved_at = ?, acknowledged_at = ?, acknowledged_by = ?,
                acknowledged_stage = ?
            WHERE id = ?
            """,
            [
                .text(alert.stage.text), .text(alert.urgency.name), .text(alert.summary),
                .text(alert.remedy), Value(alert.deadline), Value(alert.stagedAt),
                Value(alert.resolvedAt), Value(alert.acknowledgement?.at),
                Value(alert.acknowledgement?.by), Value(alert.acknowledgement?.stage.text),
                .text(alert.id.text),
            ])
    }

    private static func read(_ row: borrowing Row) throws -> Alert {
        Alert(
            id: try row.alert("id"),
            merchant: try row.optionalText("merchant") == nil ? nil : try row.merchant("merchant"),
            kind: try row.optionalText("kind") == nil ? nil : try row.oneOf("kind"),
            policy: try row.oneOf("policy"), episode: try row.text("episode"),
            stage: try row.stage("stage"), urgency: try urgency(row),
            summary: try row.text("summary"), remedy: try row.text("remedy"),
            deadline: try row.optionalTime("deadline"), raisedAt: try row.time("raised_at"),
            stagedAt: try row.time("staged_at"), resolvedAt: try row.optionalTime("resolved_at"),
            acknowledgement: try acknowledgement(row))
    }

    private static func acknowledgement(
        _ row: borrowing Row
    ) throws -> Alert.Acknowledgement? {
        guard let at = try row.optionalTime("acknowledged_at") else { return nil }
        return .init(
            at: at, by: try row.text("acknowledged_by"),
            stage: try row.stage("acknowledged_stage"))
    }

    private static func urgency(_ row: borrowing Row) throws -> Urgency {
        let name = try row.text("urgency")
        guard let urgency = Urgency.allCases.first(where: { $0.name == name }) else {
            throw RegistryError.damaged(column: "urgency", why: nil)
        }
        return urgency
    }
}
