import Clocks
import Database
import Ledger
import Merchants
import Registry
import Sessions

extension OpenHome {
    /// Records what rehearsals of identities in use have shown, all of them in one transaction.
    ///
    /// Of an identity that was tried at several gateways the worst counts. The ledger gets an entry
    /// where the verdict is another than before: a history of unchanged ones would hide what matters.
    /// What says nothing (the network or Apple failed) does not take the place of a refusal.
    ///
    /// - Throws: ``DatabaseError``, ``LedgerError``.
    package func keep(_ rehearsals: [Rehearsal]) async throws {
        guard !rehearsals.isEmpty else { return }
        let now = clock.now
        let byCredential = Dictionary(grouping: rehearsals, by: \.credential.id)
            .sorted { $0.key < $1.key }
        try await database.write { transaction in
            for (id, all) in byCredential {
                let before = try Observations.find(
                    .rehearsal, of: id.text, in: transaction)?.outcome
                let worst = try Self.observe(all, at: now, in: transaction)
                // A domain that one gateway refuses is not proven by another.
                let refused = Set(all.filter(\.isDomainRefused).map(\.domain))
                for rehearsal in all
                where rehearsal.isDomainRefused || !refused.contains(rehearsal.domain) {
                    try Self.note(rehearsal, at: now, in: transaction)
                }
                guard let worst, Self.isNews(worst.verdict, after: before) else { continue }
                try Ledger.append(
                    entry(for: worst, ["periodic": "yes", "before": before ?? "none"]),
                    in: transaction)
            }
        }
    }

    /// Records what a rehearsal says of its domain.
    static func note(
        _ rehearsal: Rehearsal, at now: Timestamp, in transaction: borrowing Transaction
    ) throws {
        let merchant = rehearsal.credential.merchant
        if rehearsal.isDomainRefused, let reason = rehearsal.verdict.reason {
            try Domains.setRefused(
                rehearsal.domain, of: merchant, because: reason.summary, at: now, in: transaction)
        } else if rehearsal.verdict == .proven {
            try Domains.setProven(rehearsal.domain, of: merchant, at: now, in: transaction)
        }
    }

    /// Records what the rehearsals of one identity say of it, and gives the one that counts.
    @discardableResult
    static func observe(
        _ rehearsals: [Rehearsal], at now: Timestamp, in transaction: borrowing Transaction
    ) throws -> Rehearsal? {
        guard let worst = rehearsals.max(by: { $0.verdict.gravity < $1.verdict.gravity }) else {
            return nil
        }
        let id = worst.credential.id.text
        let place = "with a session for \(worst.domain) at \(worst.environment)"
        if case .inconclusive = worst.verdict,
            let known = try Observations.find(.rehearsal, of: id, in: transaction),
            known.outcome == "failed" || known.outcome == "incomplete"
        {
            return worst
        }
        try Observations.record(
            Observation(
                .rehearsal, of: id, outcome: worst.verdict.name,
                detail: (worst.verdict.reason.map { "\($0.summary), " } ?? "") + place, at: now),
            in: transaction)
        return worst
    }

    /// Whether a verdict is worth an entry in the ledger; `before` is the outcome on record.
    private static func isNews(_ verdict: RehearsalVerdict, after before: String?) -> Bool {
        switch verdict {
        case .inconclusive: false
        case .proven: before == "failed" || before == "incomplete"
        case .failed, .incomplete: before != verdict.name
        }
    }
}

extension Rehearsal {
    /// Whether Apple accepts the certificate and not the domain.
    fileprivate var isDomainRefused: Bool {
        guard case .incomplete(let reason) = verdict else { return false }
        return reason.culprit == .domain
    }
}

extension RehearsalVerdict {
    /// Of two verdicts the graver one counts; what says nothing is graver than what is well alone.
    fileprivate var gravity: Int {
        switch self {
        case .proven: 0
        case .inconclusive: 1
        case .incomplete: 2
        case .failed: 3
        }
    }
}
