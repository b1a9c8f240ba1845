package import Clocks
package import Files
package import Merchants
package import Metrics

/// The open alerts in Prometheus's text form, for node_exporter's textfile collector.
package struct AlertTextfile: Sendable {
    private let path: String

    package init(path: String) {
        self.path = path
    }

    /// What stands in the file, for the documentation.
    package static let measures = [open, deadline, untold, run]

    private static let labels = [
        "id", "kind", "merchant", "policy", "stage", "state", "urgency",
    ]
    private static let open = Measure(
        .gauge, "purser_alert_open", labels,
        "Always 1: an open alert, by what it is about; state is open or acknowledged")
    private static let deadline = Measure(
        .gauge, "purser_alert_deadline_timestamp_seconds", labels,
        "When what an alert warns of happens, in seconds since 1970; of those that have a date")
    private static let untold = Measure(
        .gauge, "purser_watch_undelivered",
        "Alerts and recoveries that a receiver has not taken, one for each of them")
    private static let run = Measure(
        .gauge, "purser_watch_run_timestamp_seconds",
        "When the watch last wrote this file, in seconds since 1970")

    /// Replaces the file: a reader finds the old one or the new one, mode 0644.
    ///
    /// - Throws: ``FileError``.
    package func write(
        _ open: [Alert], undelivered: Int, at now: Timestamp
    ) throws(FileError) {
        try PublishedFile.replace(path, with: Self.text(open, undelivered: undelivered, at: now))
    }

    static func text(_ alerts: [Alert], undelivered: Int, at now: Timestamp) -> [UInt8] {
        var open = MetricFamily(open)
        var deadline = MetricFamily(deadline)
        for alert in alerts {
            let labels = [
                alert.id.text, alert.kind?.rawValue ?? "", alert.merchant?.text ?? "",
                alert.policy.rawValue, alert.stage.text, alert.state, alert.urgency.alertName,
            ]
            open.add(labels, 1)
            if let end = alert.deadline { deadline.add(labels, end.seconds) }
        }
        return open.text + deadline.text + MetricFamily(untold, Int64(undelivered)).text
            + MetricFamily(run, now.seconds).text
    }
}
