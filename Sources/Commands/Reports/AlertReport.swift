import Clocks
import Documents
import Merchants
import Registry

/// An alert of `alert list`: a JSON object, and a row of the table.
struct AlertReport: ReportRow {
    let id: String
    @OrNull var merchant: String?
    @OrNull var kind: String?
    let policy: String
    let stage: String
    let urgency: String
    /// `open`, `acknowledged` or `resolved`.
    let state: String
    let summary: String
    let remedy: String
    @OrNull var deadline: Timestamp?
    let raisedAt: Timestamp
    let stagedAt: Timestamp
    @OrNull var acknowledgedAt: Timestamp?
    @OrNull var acknowledgedBy: String?
    @OrNull var resolvedAt: Timestamp?
    let receivers: [Receiver]

    /// Who was told what, and why somebody could not be told.
    struct Receiver: Encodable, Sendable {
        let receiver: String
        @OrNull var stage: String?
        @OrNull var toldAt: Timestamp?
        @OrNull var recoveryToldAt: Timestamp?
        @OrNull var failingSince: Timestamp?
        @OrNull var error: String?

        init(_ delivery: AlertDelivery) {
            receiver = delivery.channel
            stage = delivery.told?.stage.text
            toldAt = delivery.told?.at
            recoveryToldAt = delivery.recoveryToldAt
            failingSince = delivery.failingSince
            error = delivery.lastError
        }
    }

    init(_ alert: Alert, _ deliveries: [AlertDelivery]) {
        id = alert.id.text
        merchant = alert.merchant?.text
        kind = alert.kind?.rawValue
        policy = alert.policy.rawValue
        stage = alert.stage.text
        urgency = alert.urgency.alertName
        state = alert.state
        summary = alert.summary
        remedy = alert.remedy
        deadline = alert.deadline
        raisedAt = alert.raisedAt
        stagedAt = alert.stagedAt
        acknowledgedAt = alert.acknowledgement?.at
        acknowledgedBy = alert.acknowledgement?.by
        resolvedAt = alert.resolvedAt
        receivers = deliveries.map(Receiver.init)
    }

    static let titles = [
        "ID", "STATE", "URGENCY", "STAGE", "POLICY", "ABOUT", "SINCE", "DEADLINE",
        "ACKNOWLEDGED BY",
        "SUMMARY",
    ]
    var cells: [String] {
        let about = [merchant, kind].compactMap(\.self).joined(separator: " ")
        return [
            id, state, urgency, stage, policy, about.isEmpty ? "-" : about, "\(raisedAt)",
            deadline.map { "\($0)" } ?? "-", acknowledgedBy ?? "-", summary,
        ]
    }

    /// One line for each receiver that could not be told.
    var troubles: [String] {
        receivers.compactMap { receiver in
            receiver.failingSince.map { since in
                let what = resolvedAt == nil ? "" : " that it is over"
                return "\(id): not told to \(receiver.receiver)\(what) since \(since): "
                    + (receiver.error ?? "-")
            }
        }
    }
}

/// Alerts, and under the table what could not be told.
struct AlertListReport: Report {
    let rows: [AlertReport]

    func text(width: Int) -> String {
        ListReport(rows).text(width: width)
            + rows.flatMap(\.troubles).map { TerminalText.escaped($0) + "\n" }.joined()
    }

    func encode(to encoder: any Encoder) throws { try rows.encode(to: encoder) }
}
