package import Clocks
import Files
package import Merchants

/// The open alerts in Prometheus's text form, for node_exporter's textfile collector.
package struct AlertTextfile: Sendable {
    private let path: String
    private var home: String?
    private var sparing: [String] = []

    package init(path: String) {
        self.path = path
    }

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
            path, with: Array(Self.text(open, undelivered: undelivered, at: now).utf8))
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
