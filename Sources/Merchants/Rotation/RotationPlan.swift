import Clocks

/// Where the rotation of one merchant's kind stands, and what is open: pure, from the record alone.
///
/// There is no record of a rotation as such: it is read off the states of the credentials. So
/// nothing can disagree with them, and whatever a person does by hand is a step like any other.
///
/// ```
/// identity    resting → due → requested → issued ─rehearsal→ (active, old retiring) settling → resting
/// processing  resting → due → requested → issued ─activated at Apple→ settling → resting
/// ```
package struct RotationPlan: Sendable, Hashable {
    /// The headline.
    package enum Stage: String, Sendable, Hashable {
        /// Nothing is in use and nothing waits.
        case vacant
        /// What is in use lasts.
        case resting
        /// What is in use should be replaced, and nothing has begun.
        case due
        /// Services went back from what was to be the successor, and a person has to decide.
        case heldBack = "held-back"
        /// A CSR waits for its certificate.
        case requested
        /// A certificate waits to be put to use.
        case issued
        /// The new one is in use, and the old one is kept for a while.
        case settling
    }

    package let stage: Stage
    /// What is in use.
    package let active: CredentialFacts?
    /// Whether a successor should be on its way, or nothing is in use although something was.
    package let isDue: Bool
    /// What is open, in the order in which it should be done.
    package let steps: [RotationStep]
    /// What makes a new key or asks for one; ``steps`` holds it when it is due.
    package let beginning: RotationStep

    package init(_ facts: KindFacts) {
        active = facts.active
        isDue = Self.isDue(facts)
        beginning = Self.beginning(facts)
        let candidates = facts.candidates
        let superseded = facts.credentials.filter { $0.state == .retiring }
        let rolledBack = facts.credentials.filter {
            $0.state == .issued && $0.times.rolledBackAt != nil
        }
        var steps: [RotationStep] = []
        for rivals in Self.rivals(candidates) {
            if rivals.count > 1 {
                steps.append(.choose(rivals.map(\.id)))
            } else if let candidate = rivals.first {
                steps.append(Self.step(for: candidate))
            }
        }
        if candidates.isEmpty, isDue { steps.append(beginning) }
        steps += rolledBack.map { .decide($0.id) }
        // Where nothing has taken its place, a superseded one is all there is.
        if facts.active != nil {
            steps += superseded.compactMap { Self.step(for: $0, facts) }
        }
        self.steps = steps
        stage =
            if candidates.contains(where: { $0.state == .issued }) {
                .issued
            } else if !candidates.isEmpty {
                .requested
            } else if isDue {
                facts.active == nil ? .vacant : .due
            } else if facts.active == nil {
                .vacant
            } else if !rolledBack.isEmpty {
                .heldBack
            } else {
                superseded.isEmpty ? .resting : .settling
            }
    }

    /// Candidates of which one alone can be meant: a provider's identity stands beside ours.
    static func rivals(_ candidates: [CredentialFacts]) -> [[CredentialFacts]] {
        let isBeside: (CredentialFacts) -> Bool = {
            $0.custody == .provider && !$0.kind.isProcessing
        }
        return [candidates.filter { !isBeside($0) }, candidates.filter(isBeside)]
            .filter { !$0.isEmpty }
    }

    private static func isDue(_ facts: KindFacts) -> Bool {
        guard let active = facts.active else {
            // One that was never in use is a person's to begin.
            return facts.wasInUse && !facts.credentials.contains { $0.state == .retiring }
        }
        guard let end = active.notAfter else { return false }
        return facts.windows.isDue(end, at: facts.now)
            || active.troubles.contains { trouble in
                switch trouble {
                case .revokedByIssuer, .wrongCertificate, .keyMissing: true
                case .refusedByApple, .unfinishedAtApple: false
                }
            }
    }

    /// Whoever holds the key of the newest one makes the next one, too.
    private static func beginning(_ facts: KindFacts) -> RotationStep {
        let newest = facts.active ?? facts.credentials.last { $0.wasInUse }
        if let provider = newest?.provider { return .requestFromProvider(provider) }
        return .request
    }

    private static func step(for candidate: CredentialFacts) -> RotationStep {
        if candidate.state == .requested {
            return candidate.provider.map { .submitForProvider(candidate.id, provider: $0) }
                ?? .submit(candidate.id)
        }
        if candidate.kind.isProcessing { return .activateAtApple(candidate.id) }
        return candidate.provider.map { .activateAtProvider(candidate.id, provider: $0) }
            ?? .promote(candidate.id)
    }

    private static func step(
        for superseded: CredentialFacts, _ facts: KindFacts
    ) -> RotationStep? {
        guard
            let date = superseded.retirableFrom(facts.periods, among: facts.credentials)
        else { return nil }
        return date > facts.now
            ? .wait(superseded.id, until: date) : .retire(superseded.id)
    }
}
