import Clocks
import Database
import Ledger
import Merchants
import Registry

/// What the policies say of the home as a whole, from what the watch has seen.
enum HomeFindings {
    /// - Throws: ``DatabaseError``, ``RegistryError``.
    static func all(
        expectsWatch: Bool, at now: Timestamp, in transaction: borrowing Transaction
    ) throws -> [Finding] {
        var findings: [Finding] = []
        for seen in try Observations.list(.gateway, in: transaction)
        where seen.outcome == "failed" {
            // A gateway that nobody uses any more is not looked at any more either.
            guard let environment = try? EnvironmentName(seen.subject),
                try Environments.isInService(environment, in: transaction)
            else { continue }
            findings.append(
                HomePolicies.gateway(
                    environment, failingSince: seen.since, why: seen.detail, at: now))
        }
        if let run = try Observations.find(.watch, in: transaction) {
            if let finding = HomePolicies.watchAsleep(
                lastRun: run.at, failingSince: run.outcome == "failed" ? run.since : nil,
                why: run.detail, at: now)
            {
                findings.append(finding)
            }
        } else if expectsWatch, let first = try Ledger.firstTime(in: transaction),
            let finding = HomePolicies.watchNeverRan(homeMadeAt: first, at: now)
        {
            findings.append(finding)
        }
        let lost = try AlertRecords.undelivered(since: now.adding(days: -1), in: transaction)
        var channels: [String] = []
        for delivery in lost where !channels.contains(delivery.channel) {
            channels.append(delivery.channel)
        }
        if let since = lost.first?.failingSince,
            let finding = HomePolicies.alertUndelivered(
                count: lost.count, channels: channels, since: since)
        {
            findings.append(finding)
        }
        return findings
    }
}
