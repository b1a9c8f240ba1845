import Problems

/// Something that a check has found, with what to do about it.
package struct Symptom: Sendable, Hashable {
    package enum Severity: String, Sendable, Hashable, CaseIterable, Comparable {
        /// A note: nothing is wrong.
        case ok
        case warning
        case critical

        package static func < (one: Severity, other: Severity) -> Bool {
            one.rank < other.rank
        }

        private var rank: Int {
            switch self {
            case .ok: 0
            case .warning: 1
            case .critical: 2
            }
        }
    }

    /// The name of the check.
    package let check: String
    package let severity: Severity
    /// What it is about: a path, a credential's id, an environment's name.
    package let subject: String
    /// One sentence, lower case, without a full stop.
    package let summary: String
    /// Imperative; never empty.
    package let remedy: String
}

/// Findings of one check, gathered.
struct Findings {
    let check: String
    private(set) var all: [Symptom] = []

    init(_ check: String) { self.check = check }

    mutating func add(
        _ severity: Symptom.Severity, _ subject: String, _ summary: String, remedy: String
    ) {
        all.append(
            Symptom(
                check: check, severity: severity, subject: subject, summary: summary,
                remedy: remedy))
    }

    /// An error of ours as it stands; a foreign one by its reference alone.
    mutating func add(_ severity: Symptom.Severity, _ subject: String, _ error: any Error) {
        let report = ErrorReport(error, reference: check)
        add(severity, subject, report.summary, remedy: report.remedy)
    }
}
