package import Clocks
package import Files
package import Merchants

/// The open alerts in Prometheus's text form, for node_exporter's textfile collector.
package struct AlertTextfile: Sendable {
    private let path: String

    package init(path: String) {
        self.path = path
    }

    /// Replaces the file: a reader finds the old one or the new one, mode 0644.
    ///
    /// - Throws: ``FileError``.
    package func write(
        _ open: [Alert], undelivered: Int, at now: Timestamp
    ) throws(FileError) {
        try PublishedFile.replace(
            path, with: Array(Self.text(open, undelivered: undelivered, at: now).utf8))
    }

    static func text(_ open: [Alert], undelivered: Int, at now: Timestamp) -> String {
        var lines = [
            "# HELP purser_alert_open An open alert, by what it is about.",
            "# TYPE purser_alert_open gauge",
        ]
        lines += open.map { "purser_alert_open{\(labels(of: $0))} 1" }
        let dated = open.filter { $0.deadline != nil }
        if !dated.isEmpty {
            lines += [
                "# HELP purser_alert_deadline_timestamp_seconds When what an alert warns of happens.",
                "# TYPE purser_alert_deadline_timestamp_seconds gauge",
            ]
            lines += dated.map {
                "purser_alert_deadline_timestamp_seconds{\(labels(of: $0))} "
                    + "\($0.deadline?.seconds ?? 0)"
            }
        }
        lines += [
            "# HELP purser_watch_undelivered Deliveries that have failed for a day or longer.",
            "# TYPE purser_watch_undelivered gauge", "purser_watch_undelivered \(undelivered)",
            "# HELP purser_watch_run_timestamp_seconds When the watch last wrote this file.",
            "# TYPE purser_watch_run_timestamp_seconds gauge",
            "purser_watch_run_timestamp_seconds \(now.seconds)",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func labels(of alert: Alert) -> String {
        [
            ("id", alert.id.text), ("kind", alert.kind?.rawValue ?? ""),
            ("merchant", alert.merchant?.text ?? ""), ("policy", alert.policy.rawValue),
            ("stage", alert.stage.text), ("urgency", alert.urgency.name),
        ].map { "\($0.0)=\"\(escaped($0.1))\"" }.joined(separator: ",")
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.append(character)
            }
        }
    }
}
