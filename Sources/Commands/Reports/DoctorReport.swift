import Doctor
import Documents

/// What `doctor` has found, as JSON and as text; its keys are a contract.
struct DoctorReport: Report {
    struct FindingEntry: Encodable, Sendable {
        let check: String
        /// `ok` (a note), `warning` or `critical`.
        let severity: String
        let subject: String
        let summary: String
        let remedy: String
    }

    struct CheckEntry: Encodable, Sendable {
        let name: String
        /// Why it was not made; null when it was.
        @OrNull var skipped: String?
    }

    /// The worst of the findings.
    let verdict: String
    let findings: [FindingEntry]
    let checks: [CheckEntry]

    init(_ examination: Examination) {
        verdict = examination.verdict.rawValue
        findings = examination.findings.sorted { $0.severity > $1.severity }.map {
            FindingEntry(
                check: $0.check, severity: $0.severity.rawValue, subject: $0.subject,
                summary: $0.summary, remedy: $0.remedy)
        }
        checks = examination.outcomes.map { CheckEntry(name: $0.name, skipped: $0.skipped) }
    }

    func text(width: Int) -> String {
        var text = ""
        for finding in findings {
            let severity = finding.severity == "ok" ? "note" : finding.severity
            text += TextTable.align([
                ["\(severity):", "\(finding.subject): \(finding.summary)"],
                ["", "to do: \(finding.remedy)"],
            ])
        }
        let done = checks.filter { $0.skipped == nil }.map(\.name)
        text +=
            FieldList([
                ("looked at", done.joined(separator: ", ")),
                (
                    "not looked at",
                    done.count == checks.count
                        ? nil
                        : checks.compactMap { check in check.skipped.map { "\(check.name) (\($0))" }
                        }
                        .joined(separator: ", ")
                ),
                ("verdict", Self.words[verdict]),
            ]).rendered
        return text
    }

    private static let words = [
        "ok": "nothing is wrong", "warning": "something should be done",
        "critical": "something must be done",
    ]
}
