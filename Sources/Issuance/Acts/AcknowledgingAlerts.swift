import Clocks
import Database
import Ledger
package import Merchants
import Registry

extension OpenHome {
    /// Records that whoever acts has taken an alert on: it is not told daily any more, until its
    /// next stage.
    ///
    /// - Returns: the alert as it is now, and whether that is news.
    /// - Throws: `RegistryError/alertUnknown(_:)`, `RegistryError/alertOver(_:)`, `DatabaseError`.
    package func acknowledgeAlert(
        _ id: AlertIdentifier
    ) async throws -> (alert: Alert, isChanged: Bool) {
        let now = clock.now
        return try await database.write { transaction in
            let done = try AlertRecords.acknowledge(
                id, by: actor.text, at: now, in: transaction)
            guard done.isChanged else { return done }
            var detail = [
                "alert": id.text, "policy": done.alert.policy.rawValue,
                "stage": done.alert.stage.text,
            ]
            detail["kind"] = done.alert.kind?.rawValue
            try Ledger.append(
                entry(.alertAcknowledged, done.alert.merchant?.text ?? id.text, detail),
                in: transaction)
            return done
        }
    }
}
