import Database
import Documents
import Issuance
import Merchants

/// `purser explain`.
enum ExplainCommand {
    static let verb = Verb(
        "explain", summary: "go through the policies for one merchant, question by question",
        discussion: [
            "Each question is answered from the database, the certificates and the names of the keys' "
                + "files; no key is opened and nothing is asked of the network. A question that does not "
                + "arise is left out."
        ],
        arguments: [.merchant],
        examples: [
            Example(
                "purser explain merchant.com.example.shop", "see why check says what it says")
        ],
        needs: .home, run: run)

    static func run(_ invocation: Invocation) async throws {
        let merchant = try MerchantIdentifier(invocation[.merchant])
        let home = try await invocation.openHome(.readOnly)
        let scope = try await invocation.policyScope()
        let findings = try await home.findings(of: merchant, scope)
        let facts = try await home.facts(of: merchant, scope)
        let rotations = facts.map { kind in
            RotationReport.Rotation(kind.merchant, kind.kind, RotationPlan(kind), [])
        }
        try invocation.print(ExplanationReport(merchant, findings, rotations))
    }
}

/// All findings of one merchant, with the questions that they answer, and its rotations.
struct ExplanationReport: Report {
    let merchant: String
    let findings: [Answer]
    let rotations: [RotationReport.Rotation]

    struct Answer: Encodable, Sendable {
        let policy: String
        @OrNull var kind: String?
        @OrNull var id: String?
        let question: String
        /// `ok`, `warning` or `critical`.
        let status: String
        let answer: String
        @OrNull var remedy: String?

        init(_ finding: Finding) {
            policy = finding.policy.rawValue
            question = Self.question(finding.policy)
            status = finding.urgency == .fine ? "ok" : finding.urgency.name
            answer = finding.summary
            kind = finding.kind?.rawValue
            id = finding.credential?.text
            remedy = finding.remedy.isEmpty ? nil : finding.remedy
        }

        private static func question(_ policy: PolicyName) -> String {
            switch policy {
            case .domainFile: "does its site serve the association file?"
            case .siteExpiry: "does its site's certificate last?"
            default:
                KindPolicies.chain.first { $0.name == policy }?.question
                    ?? "does Apple accept its domain?"
            }
        }
    }

    init(
        _ merchant: MerchantIdentifier, _ findings: [Finding],
        _ rotations: [RotationReport.Rotation]
    ) {
        self.merchant = merchant.text
        self.findings = findings.map(Answer.init)
        self.rotations = rotations
    }

    func text(width: Int) -> String {
        var lines: [String] = []
        var heading: String?
        for finding in findings {
            let title = finding.kind ?? "domains"
            if title != heading {
                if heading != nil { lines.append("") }
                heading = title
                lines.append("\(title):")
                if let rotation = rotations.first(where: { $0.kind == title }) {
                    lines.append("  rotation: \(rotation.headline)")
                    lines += rotation.steps.flatMap(\.lines).map { "    \($0)" }
                }
            }
            lines.append("  \(finding.question) \(finding.status): \(finding.answer)")
            if let remedy = finding.remedy { lines.append("    next: \(remedy)") }
        }
        if lines.isEmpty { lines = ["nothing is expected of \(merchant), and nothing is there"] }
        return lines.map { TerminalText.escaped($0) + "\n" }.joined()
    }
}
