import Clocks
import Merchants

/// The findings of `purser check`, in the form of a monitoring plug-in or as JSON.
///
/// Only what is not fine is listed, so memory does not grow with the number of merchants.
struct CheckReport: Report {
    private let policy: ExpiryPolicy
    private let now: Timestamp
    private(set) var urgency = Urgency.fine
    private(set) var watched = 0
    private var warnings = Tally()
    private var criticals = Tally()
    private var next: Finding?

    /// The findings of one urgency: all are counted, and as many kept as anybody reads.
    private struct Tally: Sendable {
        var count = 0
        var findings: [Finding] = []

        mutating func add(_ finding: Finding) {
            count += 1
            if findings.count < CheckReport.mostShown { findings.append(finding) }
        }
    }

    /// The counts stay right; a list that nobody can read helps nobody.
    private static let mostShown = 1_000

    /// What is critical first, and of each urgency what expires first.
    var findings: [Finding] {
        let all = [criticals, warnings].flatMap { tally in
            tally.findings.sorted { $0.notAfter < $1.notAfter }
        }
        return Array(all.prefix(Self.mostShown))
    }

    /// A merchant's certificate of one kind that needs somebody.
    struct Finding: Encodable, Sendable {
        let merchant: String
        let kind: String
        let id: String
        let notAfter: Timestamp
        let daysLeft: Int64
        let status: String

        /// Such as `merchant.com.example.shop merchant-identity in 5 days`.
        var text: String {
            let when =
                daysLeft < 0
                ? "expired on \(notAfter)" : daysLeft == 1 ? "in 1 day" : "in \(daysLeft) days"
            return "\(merchant) \(kind) \(when)"
        }
    }

    init(policy: ExpiryPolicy, now: Timestamp) {
        self.policy = policy
        self.now = now
    }

    /// Judges the best credential of a merchant and kind; nil where there is none.
    mutating func add(_ credential: Credential?) {
        guard let credential, let certificate = credential.certificate else { return }
        let judged = policy.urgency(of: certificate.notAfter, at: now)
        let finding = Finding(
            merchant: credential.merchant.text, kind: credential.kind.rawValue,
            id: credential.id.text, notAfter: certificate.notAfter,
            daysLeft: certificate.notAfter.days(since: now), status: Self.word(judged))
        watched += 1
        urgency = max(urgency, judged)
        if next.map({ finding.notAfter < $0.notAfter }) ?? true { next = finding }
        switch judged {
        case .fine: return
        case .warning: warnings.add(finding)
        case .critical: criticals.add(finding)
        }
    }

    private static func word(_ urgency: Urgency) -> String {
        switch urgency {
        case .fine: "ok"
        case .warning: "warning"
        case .critical: "critical"
        }
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
    func text(width: Int) -> String {
        let findings = findings
        let summary: String
        if let first = findings.min(by: { $0.notAfter < $1.notAfter }) {
            summary =
                "\(warnings.count + criticals.count) of \(watched) need somebody, first: \(first.text)"
        } else if let next {
            summary = "\(watched) watched, next expiry: \(next.text)"
        } else {
            summary = "no certificate in use"
        }
        let days = next.map {
            "days_left=\($0.daysLeft);\(policy.warningDays);\(policy.criticalDays) "
        }
        let data =
            "\(days ?? "")watched=\(watched) warning=\(warnings.count) critical=\(criticals.count)"
        let lines = findings.count > 1 ? findings.map { "\($0.status): \($0.text)\n" } : []
        return "PURSER \(Self.word(urgency).uppercased()) - \(summary) | \(data)\n" + lines.joined()
    }
}
