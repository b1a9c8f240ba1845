import Database
import Issuance
import Merchants
import Registry

/// `purser alert acknowledge`.
enum AlertAcknowledgeCommand {
    static let alert = Argument("ID", "the alert's id, from alert list", kind: .alert)

    static let verb = Verb(
        "alert", "acknowledge", summary: "take an alert on, so that it is not told daily",
        discussion: [
            "It is told again when it reaches its next stage: a day before an expiry, and when that has "
                + "come. That its problem is gone is told as well. Who acknowledged is in the ledger."
        ],
        arguments: [alert],
        examples: [Example("purser alert acknowledge 5c0e77d1a9b3", "take an alert on")],
        needs: .home, isAct: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        let id = try AlertIdentifier(invocation[alert])
        let home = try await invocation.openHome(.readWrite)
        let done = try await home.acknowledgeAlert(id)
        let deliveries = try await home.database.read {
            try AlertDeliveries.list(of: id, in: $0)
        }
        try invocation.print(
            AcknowledgementReport(
                alert: AlertReport(done.alert, deliveries), isChanged: done.isChanged))
    }
}

/// An alert that was acknowledged: its JSON object with `changed`.
private struct AcknowledgementReport: Report {
    let alert: AlertReport
    let isChanged: Bool

    private enum Keys: String, CodingKey { case changed }

    func encode(to encoder: any Encoder) throws {
        try alert.encode(to: encoder)
        var more = encoder.container(keyedBy: Keys.self)
        try more.encode(isChanged, forKey: .changed)
    }

    func text(width: Int) -> String {
        let what = isChanged ? "acknowledged" : "was acknowledged already"
        return TerminalText.escaped("\(alert.id) \(what): \(alert.summary)") + "\n"
    }
}
