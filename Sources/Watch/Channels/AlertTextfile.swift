package import Clocks
import Files
package import Merchants
package import Metrics

/// The open alerts in Prometheus's text form, for node_exporter's textfile collector.
package struct AlertTextfile: Sendable {
    private let path: String
    private var home: String?
    private var sparing: [String] = []

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

    /// The same file, refused where it lies in `home` or is one of `files`, which purser reads.
    package func sparing(home: String, _ files: [String]) -> AlertTextfile {
        var guarded = self
        guarded.home = home
        guarded.sparing = files
        return guarded
    }

    /// Replaces the file: a reader finds the old one or the new one, mode 0644.
    ///
    /// What the watch has not written itself is never replaced, unless it is empty.
    ///
    /// - Throws: ``FileError``, ``WatchError/textfileInHome(_:)``,
    ///   ``WatchError/textfileInUse(_:)``, ``WatchError/textfileForeign(_:)``.
    package func write(_ open: [Alert], undelivered: Int, at now: Timestamp) throws {
        try checkPlace()
        try PublishedFile.replace(
            path, with: Self.text(open, undelivered: undelivered, at: now))
    }

    // A setting with the wrong path must not cost a key: the name, the file behind it and its
    // contents are looked at each time.
    private func checkPlace() throws {
        let (folder, name) = split
        let places = [Folder.truePath(path), Folder.truePath(folder) + "/\(name)"]
        if let home, places.contains(where: { Self.lies($0, in: home) }) {
            throw WatchError.textfileInHome(path)
        }
        let there = try FileStatus.ifPresent(path)
        for file in sparing.map(Folder.truePath) {
            let isSame =
                if let there, let other = try? FileStatus(file) {
                    there.isSameFile(as: other)
                } else { false }
            if isSame || places.contains(file) { throw WatchError.textfileInUse(path) }
        }
        guard let there, there.size > 0 || !there.isFile else { return }
        let mark = Array(Self.beginning.utf8)
        guard there.isFile, try SequentialFile(path, pipe: .none).read(mark.count) == mark else {
            throw WatchError.textfileForeign(path)
        }
    }

    private var split: (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        return ("\(path[..<slash])/", String(path[path.index(after: slash)...]))
    }

    /// Whether a path without links lies below the folder, under whatever name that is mounted.
    private static func lies(_ path: String, in home: String) -> Bool {
        let home = Folder.truePath(home)
        if path.hasPrefix("\(home)/") { return true }
        guard let there = try? FileStatus(home) else { return false }
        return path.indices.filter { path[$0] == "/" }.contains { slash in
            (try? FileStatus("\(path[..<slash])/")).map(there.isSameFile) ?? false
        }
    }

    /// What every file of ours begins with.
    private static let beginning = "# HELP purser_"

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
