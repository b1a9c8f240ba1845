import Database
import Issuance
import Locks
import Merchants
import Problems

/// `purser renew`.
enum RenewCommand {
    static let commit = Option(flag: "commit", "take the steps that need no person")

    static let verb = Verb(
        "renew", summary: "say what is due, and with --commit do what needs no person",
        discussion: [
            "Without --commit it changes nothing and needs no key. With it, it makes keys and CSRs for "
                + "what is due, rehearses issued identities and puts them to use, and retires what has "
                + "been superseded for long enough. What needs a person is listed either way.",
            "It may run as often as one likes, by hand and by the schedule at once: one waits for the "
                + "other and finds nothing left to do. An identity that services went back from is not "
                + "put to use again. A step that fails stops no other merchant's.",
        ],
        options: [commit],
        examples: [
            Example("purser renew", "see what is due, and for whom"),
            Example("purser renew --commit", "do what needs no person; for a daily timer"),
        ],
        needs: .key, isAct: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        guard invocation.isSet(commit) else {
            let home = try await invocation.openHome(.readOnly)
            let open = try await home.openRotations(try await invocation.policyScope())
            return try invocation.print(RenewalReport(open.map { .init($0) }))
        }
        let unlocked = try await invocation.unlockHome()
        let scope = try await invocation.policyScope()
        let taken = Locked<[RenewalOutcome]>([])
        try await invocation.withDesk { desk in
            try await unlocked.home.renew(scope, vault: unlocked.vault, desk: desk) { outcome in
                taken.withLock { $0.append(outcome) }
            }
        }
        let outcomes = taken.withLock { $0 }
        var open = try await unlocked.home.openRotations(scope)
        for outcome in outcomes
        where !open.contains(where: {
            $0.merchant == outcome.merchant && $0.kind == outcome.kind
        }) {
            // Nothing is open there any more.
            open.append(
                try await unlocked.home.rotation(of: outcome.merchant, outcome.kind, scope))
        }
        for failure in outcomes.compactMap(\.failure) { invocation.log(failure) }
        try invocation.print(RenewalReport(open, outcomes))
        if let failure = outcomes.lazy.compactMap(\.failure).first {
            throw CommandStatus((failure as? any Explained)?.nature ?? .internalFault)
        }
    }
}

/// What was done, and what is open, merchant by merchant.
struct RenewalReport: Report {
    let rotations: [RotationReport.Rotation]

    init(_ rotations: [RotationReport.Rotation]) {
        self.rotations = rotations
    }

    /// Rotations with what was done in them just now.
    init(_ rotations: [OpenRotation], _ outcomes: [RenewalOutcome]) {
        self.rotations = rotations.map { rotation in
            RotationReport.Rotation(
                rotation,
                outcomes.filter {
                    $0.merchant == rotation.merchant && $0.kind == rotation.kind
                }.map(RotationReport.Done.init))
        }.sorted { ($0.merchant, $0.kind) < ($1.merchant, $1.kind) }
    }

    func encode(to encoder: any Encoder) throws {
        try rotations.encode(to: encoder)
    }

    func text(width: Int) -> String {
        guard !rotations.isEmpty else { return "nothing is due\n" }
        return rotations.flatMap { rotation in
            ["\(rotation.merchant) \(rotation.kind): \(rotation.headline)"]
                + rotation.done.map(\.line) + rotation.steps.map { $0.brief(rotation.merchant) }
        }.map { TerminalText.escaped($0) + "\n" }.joined()
    }
}

extension RotationReport.Done {
    init(_ outcome: RenewalOutcome) {
        let failure = outcome.failure as? any Explained
        self.init(
            step: outcome.step.name, credential: outcome.credential?.id.text,
            summary: outcome.step.summary(for: outcome.merchant, outcome.kind),
            code: failure?.code ?? outcome.failure.map { _ in "internal" },
            reason: failure?.summary ?? outcome.failure.map { _ in "an internal error" },
            remedy: failure?.remedy)
    }

    var line: String {
        if let reason { return "failed: \(summary): \(reason)" }
        let made = credential.flatMap { summary.contains($0) ? nil : " (\($0))" }
        return "done: \(summary)" + (made ?? "")
    }
}
