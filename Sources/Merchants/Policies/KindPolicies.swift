import Clocks

/// One question about a merchant's kind, and how it is answered: pure, from plain facts.
package struct KindPolicy: Sendable {
    package let name: PolicyName
    /// As `purser explain` asks it.
    package let question: String
    /// Nil where the question does not arise.
    package let judge: @Sendable (KindFacts) -> Finding?
}

/// The chain of policies for one kind, in the order in which its findings are shown.
///
/// Each looks at the same facts and knows nothing of the others.
package enum KindPolicies {
    package static let chain: [KindPolicy] = [
        missing, keyElsewhere, wrongCertificate, revoked, refused, expiry, notActivated,
        twoCandidates, rolledBack, nearLimit, rotationStalled, teamChanged,
    ]

    /// What all of them say.
    package static func findings(_ facts: KindFacts) -> [Finding] {
        chain.compactMap { $0.judge(facts) }
    }

    // MARK: - What is in use

    /// Something must be in use: an identity for whoever has a domain, a processing certificate for
    /// whoever ever had one.
    private static let missing = KindPolicy(
        name: .missing, question: "is there one in use?"
    ) { facts in
        if let active = facts.active {
            return facts.finding(.missing, .fine, active, "\(active.id) is in use")
        }
        let isExpected = facts.kind.isProcessing ? facts.wasInUse : facts.hasDomains
        guard isExpected || !facts.credentials.isEmpty else { return nil }
        let lost = facts.kind.isProcessing ? "payments fail" : "no domain gets a session"
        let urgency: Urgency = facts.wasInUse ? .critical : isExpected ? .warning : .fine
        let step = RotationPlan(facts).steps.first
        return facts.finding(
            .missing, urgency, nil,
            facts.wasInUse ? "none is in use any more: \(lost)" : "none is in use yet",
            step.map { facts.remedy(for: $0) }
                ?? "purser rotate \(facts.merchant) \(facts.kind.rawValue)")
    }

    /// The key of what is in use must be here, or known to be a provider's.
    private static let keyElsewhere = KindPolicy(
        name: .keyElsewhere, question: "is its key ours?"
    ) { facts in
        guard let best = facts.best else { return nil }
        if best.troubles.contains(.keyMissing) {
            return facts.finding(
                .keyElsewhere, .critical, best, "the file of \(best.id)'s key is not in the home",
                "restore a backup, or import the key; see: purser doctor")
        }
        if let provider = best.provider {
            return facts.finding(
                .keyElsewhere, .fine, best, "\(provider) holds the key of \(best.id)")
        }
        return facts.finding(.keyElsewhere, .fine, best, "the key of \(best.id) is in this home")
    }

    /// The certificate must be of its kind and its merchant (6.46, clientAuth, 6.32, UID).
    private static let wrongCertificate = KindPolicy(
        name: .wrongCertificate, question: "is it the certificate that its kind must be?"
    ) { facts in
        guard let best = facts.best else { return nil }
        for trouble in best.troubles {
            guard case .wrongCertificate(let why) = trouble else { continue }
            return facts.finding(
                .wrongCertificate, .critical, best, "\(best.id)'s certificate is wrong: \(why)",
                "purser rotate \(facts.merchant) \(facts.kind.rawValue)")
        }
        return facts.finding(
            .wrongCertificate, .fine, best, "\(best.id)'s certificate was checked at its import")
    }

    /// A revoked identity is refused at once; a revoked processing certificate soon.
    private static let revoked = KindPolicy(
        name: .revoked, question: "does its issuer stand by it?"
    ) { facts in
        guard let active = facts.active else { return nil }
        guard active.troubles.contains(.revokedByIssuer) else {
            return issuerSilence(facts, active)
        }
        return facts.finding(
            .revoked, .critical, active, "the issuer of \(active.id) says that it is revoked",
            "record it, and replace it: purser certificate revoke \(active.id) --reason REASON")
    }

    /// After so many hours without a word a revocation could have been missed for too long.
    private static let silentHours: Int64 = 48

    /// What is known where no revocation is: an issuer that cannot be asked is not one that stands by
    /// its certificate.
    private static func issuerSilence(_ facts: KindFacts, _ active: CredentialFacts) -> Finding {
        switch active.issuerWord {
        case nil: return facts.finding(.revoked, .fine, active, "not asked yet")
        case .good(let at):
            return facts.finding(.revoked, .fine, active, "its issuer stood by it at \(at)")
        case .nobodyToAsk:
            return facts.finding(.revoked, .fine, active, "it names no issuer's address to ask at")
        case .silent(let since, let why):
            let isLong = facts.now >= since.adding(seconds: silentHours * 3_600)
            return facts.finding(
                .revoked, isLong ? .warning : .fine, active,
                "its issuer has not stood by it since \(since): it \(why)",
                isLong ? "see what is in the way to its responder: purser watch --once" : "")
        }
    }

    /// An identity that Apple refuses gets no session, and one that waits would get none.
    private static let refused = KindPolicy(
        name: .refused, question: "does Apple accept it?"
    ) { facts in
        guard !facts.kind.isProcessing else { return nil }
        for identity in [facts.active].compactMap(\.self) + facts.candidates {
            let isActive = identity.state == .active
            for trouble in identity.troubles {
                switch trouble {
                case .refusedByApple(let why):
                    return facts.finding(
                        .refused, isActive ? .critical : .warning, identity,
                        "Apple refuses \(identity.id): \(why)",
                        isActive
                            ? "try it again: purser certificate rehearse \(identity.id)"
                            : "find out why, or give it up: purser certificate abandon \(identity.id)"
                    )
                case .unfinishedAtApple(let what):
                    return facts.finding(
                        .refused, .warning, identity,
                        "Apple accepts \(identity.id), and something is unfinished there: \(what)",
                        isActive
                            ? "finish it at Apple: purser certificate rehearse \(identity.id)"
                            : "finish it at Apple, or use it all the same: purser certificate "
                                + "activate \(identity.id) --accept-incomplete")
                default: continue
                }
            }
        }
        return facts.active.map { facts.finding(.refused, .fine, $0, "no refusal is known") }
    }

    /// How long the best usable credential lasts.
    private static let expiry = KindPolicy(
        name: .expiry, question: "how long does it last?"
    ) { facts in
        guard let best = facts.best, let end = best.notAfter else { return nil }
        let left = end.days(since: facts.now)
        let when =
            left < 0
            ? "has expired on \(end)"
            : "expires in \(left) day\(left == 1 ? "" : "s"), on \(end)"
        let plan = RotationPlan(facts)
        let isDue = facts.windows.isDue(end, at: facts.now)
        return facts.finding(
            .expiry, facts.windows.urgency(of: end, at: facts.now), best,
            "\(best.id) \(when)", isDue ? plan.steps.first.map { facts.remedy(for: $0) } ?? "" : "",
            deadline: end)
    }

    // MARK: - What waits

    /// A processing certificate does nothing before it is activated at Apple.
    private static let notActivated = KindPolicy(
        name: .notActivated, question: "does one wait for its activation?"
    ) { facts in
        guard
            let waiting = facts.candidates.first(where: {
                $0.state == .issued && ($0.kind.isProcessing || $0.custody == .provider)
            })
        else { return nil }
        let age = facts.now.days(since: waiting.times.stateChangedAt)
        let end = facts.active?.notAfter ?? .distantFuture
        var urgency: Urgency = age >= 7 ? .warning : .fine
        // Without one in use, `missing` says what there is to say.
        if facts.active != nil {
            urgency = max(urgency, facts.windows.urgency(of: end, at: facts.now))
        }
        return facts.finding(
            .notActivated, urgency, waiting,
            "\(waiting.id) is issued and not activated, "
                + (age == 0 ? "since today" : "since \(age) day\(age == 1 ? "" : "s")"),
            RotationPlan(facts).steps.first.map { facts.remedy(for: $0) } ?? "")
    }

    /// Which of several is meant has to be said.
    private static let twoCandidates = KindPolicy(
        name: .twoCandidates, question: "is it clear which one comes next?"
    ) { facts in
        let candidates = facts.candidates
        guard candidates.count > 1 else { return nil }
        let names = candidates.map(\.id.text).joined(separator: ", ")
        return facts.finding(
            .twoCandidates, .warning, candidates.first,
            "\(candidates.count) candidates wait: \(names)",
            "give up all but one: purser certificate abandon ID")
    }

    /// Services, or a person, went back to the identity before.
    private static let rolledBack = KindPolicy(
        name: .rolledBack, question: "did services go back to the one before?"
    ) { facts in
        guard
            let loser = facts.credentials.last(where: {
                $0.state == .issued && $0.times.rolledBackAt != nil
            }), let date = loser.times.rolledBackAt
        else { return nil }
        return facts.finding(
            .rolledBack, .warning, loser, "sessions went back from \(loser.id) on \(date)",
            facts.remedy(for: .decide(loser.id)))
    }

    // MARK: - Apple's side

    /// Apple issues three identities, and two processing certificates of which one is active
    /// (TN3206); what is unexpired and unrevoked counts, in any state.
    private static let nearLimit = KindPolicy(
        name: .nearLimit, question: "would Apple issue another?"
    ) { facts in
        let counted = facts.credentials.filter {
            $0.isValid(at: facts.now) && $0.state != .revoked && $0.state != .destroyed
        }
        guard !counted.isEmpty else { return nil }
        let limit = facts.kind.isProcessing ? 2 : 3
        let says = "\(counted.count) of the \(limit) that Apple allows are valid"
        guard counted.count >= limit else {
            return facts.finding(.nearLimit, .fine, nil, says)
        }
        // Two processing certificates are what a rotation needs; a third is what would be refused.
        let isThirdWanted =
            !facts.kind.isProcessing || counted.count > limit
            || (RotationPlan(facts).isDue && facts.candidates.isEmpty)
            || facts.credentials.contains { $0.state == .requested }
        guard isThirdWanted else { return facts.finding(.nearLimit, .fine, nil, says) }
        // What is in use, and the way back, are not to be given away for it.
        let superfluous = counted.first { credential in
            switch credential.state {
            case .abandoned, .retired: true
            case .issued: credential.times.rolledBackAt != nil
            default: false
            }
        }
        return facts.finding(
            .nearLimit, .warning, superfluous, says,
            superfluous.map {
                "revoke it at Apple, then: purser certificate revoke \($0.id) --reason superseded"
            } ?? "before another is asked for, one must expire or be revoked in Apple's portal")
    }

    /// A rotation that has begun has to move.
    private static let rotationStalled = KindPolicy(
        name: .rotationStalled, question: "does its rotation move?"
    ) { facts in
        let plan = RotationPlan(facts)
        guard let candidate = facts.candidates.first, let step = plan.steps.first else {
            return nil
        }
        let age = facts.now.days(since: candidate.times.stateChangedAt)
        let isWanted = plan.isDue || facts.active == nil
        guard isWanted, age >= facts.periods.stallDays else { return nil }
        return facts.finding(
            .rotationStalled, .warning, candidate,
            "the rotation stands still since \(age) days: \(candidate.id) is "
                + candidate.state.rawValue,
            facts.remedy(for: step))
    }

    /// Certificates of another team are another account's: nobody changes that unawares.
    private static let teamChanged = KindPolicy(
        name: .teamChanged, question: "is it still the same team?"
    ) { facts in
        let known = facts.team ?? facts.active?.team
        guard let known else { return nil }
        let watched = facts.credentials.filter {
            $0.state == .active || $0.state == .issued || $0.state == .retiring
        }
        guard let other = watched.first(where: { $0.team != nil && $0.team != known }) else {
            return facts.finding(.teamChanged, .fine, nil, "the team is \(known)")
        }
        return facts.finding(
            .teamChanged, .warning, other,
            "\(other.id) is of team \(other.team ?? "-"), and \(known) was expected",
            "if that is right: purser merchant set \(facts.merchant) --team \(other.team ?? "ID")")
    }
}

extension KindFacts {
    fileprivate func finding(
        _ policy: PolicyName, _ urgency: Urgency, _ credential: CredentialFacts?,
        _ summary: String, _ remedy: String = "", deadline: Timestamp? = nil
    ) -> Finding {
        Finding(
            policy, urgency, merchant: merchant, kind: kind, credential: credential?.id,
            deadline: deadline, summary: summary, remedy: remedy)
    }

    /// A step in one line: the command where it is one, else how to see the way.
    fileprivate func remedy(for step: RotationStep) -> String {
        let instructions = step.instructions(for: merchant, kind)
        if instructions.count == 1, let only = instructions.first {
            return "\(step.summary(for: merchant, kind)): \(only)"
        }
        return "\(step.summary(for: merchant, kind)); see: purser explain \(merchant)"
    }
}
