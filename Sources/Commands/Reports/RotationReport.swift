import Clocks
import Documents
import Issuance
import Merchants

/// Where rotations stand, what was done, and what is open.
struct RotationReport: Report {
    let rotation: Rotation
    /// Whether this command has begun it.
    let began: Bool

    /// One merchant's kind.
    struct Rotation: Encodable, Sendable {
        let merchant: String
        let kind: String
        let stage: String
        /// What is in use.
        @OrNull var active: String?
        @OrNull var notAfter: Timestamp?
        let due: Bool
        let steps: [Step]
        /// What `renew --commit` has done just now.
        let done: [Done]

        init(
            _ merchant: MerchantIdentifier, _ kind: CredentialKind, _ plan: RotationPlan,
            _ done: [Done]
        ) {
            self.merchant = merchant.text
            self.kind = kind.rawValue
            stage = plan.stage.rawValue
            due = plan.isDue
            steps = plan.steps.map { Step($0, merchant, kind) }
            self.done = done
            active = plan.active?.id.text
            notAfter = plan.active?.notAfter
        }

        init(_ open: OpenRotation, _ done: [Done] = []) {
            self.init(open.merchant, open.kind, open.plan, done)
        }

        /// Such as `resting, 7f3a9c01be42 is in use until 2027-01-01T00:00:00Z`.
        var headline: String {
            guard let active else { return "\(stage), none is in use" }
            return "\(stage), \(active) is in use" + (notAfter.map { " until \($0)" } ?? "")
        }
    }

    /// One open step.
    struct Step: Encodable, Sendable {
        let step: String
        /// `purser`, `person` or `time`.
        let performer: String
        let credentials: [String]
        let summary: String
        /// Line by line: Apple's portal in words, and commands to paste.
        let instructions: [String]
        /// Those of the lines that are commands alone.
        let commands: [String]
        /// For `wait`: until when.
        @OrNull var until: Timestamp?

        init(_ step: RotationStep, _ merchant: MerchantIdentifier, _ kind: CredentialKind) {
            self.step = step.name
            performer = step.performer.rawValue
            credentials = step.credentials.map(\.text)
            summary = step.summary(for: merchant, kind)
            instructions = step.instructions(for: merchant, kind)
            commands = instructions.filter { $0.hasPrefix("purser ") }
            if case .wait(_, let date) = step { until = date } else { until = nil }
        }

        /// In one line, for lists; the way itself is told by `explain`.
        func brief(_ merchant: String) -> String {
            guard instructions.count != 1 else { return lines[0] }
            return lines[0] + (instructions.isEmpty ? "" : "; see: purser explain \(merchant)")
        }

        var lines: [String] {
            let who =
                switch performer {
                case RotationStep.Performer.purser.rawValue:
                    "next (purser renew --commit does it): "
                case RotationStep.Performer.person.rawValue: "next: "
                default: ""
                }
            if instructions.count == 1, let only = instructions.first {
                return ["\(who)\(summary): \(only)"]
            }
            return ["\(who)\(summary)"]
                + instructions.enumerated().map { "  \($0.offset + 1). \($0.element)" }
        }
    }

    /// A step that was taken, or tried.
    struct Done: Encodable, Sendable {
        let step: String
        @OrNull var credential: String?
        let summary: String
        /// Why it was not taken.
        @OrNull var code: String?
        @OrNull var reason: String?
        @OrNull var remedy: String?
    }

    init(_ open: OpenRotation, began: Bool) {
        rotation = Rotation(open)
        self.began = began
    }

    private enum Keys: String, CodingKey { case began }

    func encode(to encoder: any Encoder) throws {
        try rotation.encode(to: encoder)
        var more = encoder.container(keyedBy: Keys.self)
        try more.encode(began, forKey: .began)
    }

    func text(width: Int) -> String {
        let title =
            began
            ? "\(rotation.merchant) \(rotation.kind): a rotation has begun"
            : "\(rotation.merchant) \(rotation.kind): \(rotation.headline)"
        return ([title] + rotation.steps.flatMap(\.lines))
            .map { TerminalText.escaped($0) + "\n" }.joined()
    }
}
