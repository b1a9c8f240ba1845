import Clocks
import Documents
import Merchants

/// The findings of `purser check`, in the form of a monitoring plug-in or as JSON.
///
/// Only what is not fine is kept, so memory does not grow with the number of merchants.
struct CheckReport: Report {
    private let windows: Windows
    private let now: Timestamp
    private(set) var urgency = Urgency.fine
    private(set) var watched = 0
    private var warnings = Tally()
    private var criticals = Tally()
    private var next: Entry?

    /// The findings of one urgency: all are counted, and as many kept as anybody reads.
    private struct Tally: Sendable {
        var count = 0
        var findings: [Entry] = []

        mutating func add(_ finding: Entry) {
            count += 1
            if findings.count < CheckReport.mostShown { findings.append(finding) }
        }
    }

    /// The counts stay right; a list that nobody can read helps nobody.
    private static let mostShown = 1_000

    /// What is critical first, and of each urgency what has the nearest date first.
    var findings: [Entry] {
        let all = [criticals, warnings].flatMap { tally in
            tally.findings.sorted { $0.isBefore($1) }
        }
        return Array(all.prefix(Self.mostShown))
    }

    /// A finding that needs somebody.
    struct Entry: Encodable, Sendable {
        let policy: String
        @OrNull var merchant: String?
        @OrNull var kind: String?
        @OrNull var id: String?
        @OrNull var notAfter: Timestamp?
        @OrNull var daysLeft: Int64?
        let status: String
        let summary: String
        let remedy: String

        init(_ finding: Finding, at now: Timestamp) {
            policy = finding.policy.rawValue
            status = CheckReport.word(finding.urgency)
            summary = finding.summary
            remedy = finding.remedy
            merchant = finding.merchant?.text
            kind = finding.kind?.rawValue
            id = finding.credential?.text
            notAfter = finding.deadline
            daysLeft = finding.deadline?.days(since: now)
        }

        /// Such as `merchant.com.example.shop merchant-identity expires in 5 days`.
        var text: String {
            let name = [merchant, kind].compactMap(\.self).joined(separator: " ")
            guard let daysLeft, let notAfter else {
                return name.isEmpty ? summary : "\(name): \(summary)"
            }
            let when =
                daysLeft < 0
                ? "expired on \(notAfter)"
                : daysLeft == 0
                    ? "expires in less than a day"
                    : "expires in \(daysLeft) day\(daysLeft == 1 ? "" : "s")"
            return "\(name) \(when)"
        }

        /// What has no date is wrong already.
        func isBefore(_ other: Entry) -> Bool {
            guard let mine = notAfter else { return other.notAfter != nil }
            guard let others = other.notAfter else { return false }
            return mine < others
        }
    }

    /// `windows` are those of whoever has no others, for the performance data.
    init(windows: Windows, now: Timestamp) {
        self.windows = windows
        self.now = now
    }

    /// Takes one finding into account.
    mutating func add(_ finding: Finding) {
        urgency = max(urgency, finding.urgency)
        if finding.policy == .expiry {
            watched += 1
            if let end = finding.deadline, next?.notAfter.map({ end < $0 }) ?? true {
                next = Entry(finding, at: now)
            }
        }
        switch finding.urgency {
        case .fine: return
        case .warning: warnings.add(Entry(finding, at: now))
        case .critical: criticals.add(Entry(finding, at: now))
        }
    }

    fileprivate static func word(_ urgency: Urgency) -> String {
        urgency == .fine ? "ok" : urgency.name
    }

    // MARK: Rendering

    private enum Keys: String, CodingKey {
        case status, watched, warning, critical, findings, nextExpiry
    }

    func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Keys.self)
        try object.encode(Self.word(urgency), forKey: .status)
        try object.encode(watched, forKey: .watched)
        try object.encode(warnings.count, forKey: .warning)
        try object.encode(criticals.count, forKey: .critical)
        try object.encode(findings, forKey: .findings)
        try object.encode(next, forKey: .nextExpiry)
    }

    /// One line with performance data, then one for each finding.
    ///
    /// The first line ends at the bar (Monitoring Plugins Development Guidelines); what an operator
    /// chose to call things must not begin the data early.
    func text(width: Int) -> String {
        let findings = findings
        let count = warnings.count + criticals.count
        let summary: String
        if let first = findings.first {
            summary =
                "\(count) finding\(count == 1 ? "" : "s"), \(watched) watched, first: \(first.text)"
        } else if let next {
            summary = "\(watched) watched, next: \(next.text)"
        } else {
            summary = "no certificate in use"
        }
        let days = next?.daysLeft.map {
            "days_left=\($0);\(windows.warningDays):;\(windows.criticalDays): "
        }
        let data =
            "\(days ?? "")watched=\(watched) warning=\(warnings.count) critical=\(criticals.count)"
        let line = "PURSER \(Self.word(urgency).uppercased()) - \(summary)"
            .replacing("|", with: "/")
        return TerminalText.escaped(line) + " | \(data)\n" + details(findings)
    }

    private func details(_ findings: [Entry]) -> String {
        findings.map { finding in
            var text = "\(finding.status): \(finding.text)"
            // A date says it all; how to go on is the same for each of them.
            if finding.daysLeft != nil, !finding.remedy.isEmpty { text += "; \(finding.remedy)" }
            if finding.daysLeft == nil { text += "; \(finding.remedy)" }
            return TerminalText.escaped(text.replacing("|", with: "/")) + "\n"
        }.joined()
    }
}
