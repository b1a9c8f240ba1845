import Database
import Issuance
import Merchants
import Registry

/// The files that alerts need can be read, and every alert has somebody to reach.
enum AlertsCheck {
    static let check = Check("alerts") { patient in
        var findings = Findings("alerts")
        // A channel whose password cannot be read tells nobody.
        for fault in patient.alerts {
            findings.add(fault.isElsewhere ? .ok : .critical, fault.setting, fault.error)
        }
        guard case .open(let home) = patient.records else { return findings.all }
        switch patient.alertReach {
        case .everything: break
        case .nobody:
            findings.add(
                .warning, patient.settings.path,
                "alerts reach nobody: a heartbeat alone tells none",
                remedy: "set alerts.mail.server with alerts.mail.security, or alerts.webhook.url")
        case .ownersAlone:
            findings.add(
                .warning, patient.settings.path,
                "alerts that concern no merchant reach nobody: alerts.mail.security is empty",
                remedy: "set alerts.mail.security")
            let merchants = try await home.database.read { transaction in
                try MerchantRecords.list(
                    includingRetired: false, in: transaction, damaged: { _, _ in })
            }
            for merchant in merchants where merchant.owners.isEmpty {
                findings.add(
                    .warning, merchant.identifier.text,
                    "its alerts reach nobody: it has no owners, and alerts.mail.security is empty",
                    remedy: "run: purser merchant set \(merchant.identifier) --owner EMAIL")
            }
        }
        return findings.all
    }
}
