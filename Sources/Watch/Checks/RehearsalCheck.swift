import Clocks
import Issuance
import Merchants
import Registry
import Sessions

/// Whether Apple still gives sessions to the identities in use: rehearsed now and then, at each of
/// the merchant's environments, with the domain that was not tried for longest.
///
/// What did not succeed is tried again soon, whatever the interval. A merchant without a
/// display name or a domain has nothing to rehearse with yet. Outcomes: those of `RehearsalVerdict`.
struct RehearsalCheck {
    let checks: NetworkChecks
    let watched: Watched

    init(checks: NetworkChecks, _ watched: Watched) {
        (self.checks, self.watched) = (checks, watched)
    }

    func run(until deadline: ContinuousClock.Instant) async -> [any Error] {
        let now = checks.home.clock.now
        let due = watched.inTurn(.rehearsal).filter { isDue($0, at: now) }
        guard !due.isEmpty else { return [] }
        let desk = SessionDesk(
            roster: Roster([], known: []), loop: checks.loop, budget: checks.sessions)
        defer { desk.close() }
        let checks = checks
        let work = SideBySide(width: checks.limits.width, deadline: deadline)
        let (seen, left) = await work.work(on: due) { subject in
            await Self.rehearse(subject, checks, desk)
        }
        var errors = seen.flatMap(\.errors)
        let dark = seen.flatMap(\.rehearsals).filter { $0.verdict.name == "inconclusive" }
        if let why = dark.first?.verdict.reason?.summary {
            errors.append(NetworkCheckError.rehearsalsInconclusive(count: dark.count, why: why))
        }
        if left > 0 { errors.append(NetworkCheckError.outOfTime(check: "rehearsals", left: left)) }
        guard !Task.isCancelled else { return errors }
        do {
            try await checks.home.keep(seen.flatMap(\.rehearsals))
        } catch {
            errors.append(error)
        }
        return errors
    }

    private func isDue(_ subject: Watched.Subject, at now: Timestamp) -> Bool {
        let credential = subject.credential
        guard checks.limits.rehearseHours > 0, credential.kind == .merchantIdentity,
            credential.custody == .local, credential.state == .active,
            subject.merchant.displayName != nil
        else { return false }
        return watched.isDue(
            subject, .rehearsal, at: now, after: Int64(checks.limits.rehearseHours) * 3_600,
            since: "proven", elseAfter: checks.limits.repeatAfter)
    }

    private struct Seen: Sendable {
        var rehearsals: [Rehearsal] = []
        var errors: [any Error] = []
    }

    private static func rehearse(
        _ subject: Watched.Subject, _ checks: NetworkChecks, _ desk: SessionDesk
    ) async -> Seen {
        var seen = Seen()
        for environment in subject.merchant.environments {
            do {
                seen.rehearsals.append(
                    try await checks.home.tryOut(
                        subject.credential.id, at: environment, leastTried: true,
                        vault: checks.vault, desk: desk))
            } catch IssuanceError.rehearsalNeedsDomain {
                return seen
            } catch {
                seen.errors.append(error)
            }
        }
        return seen
    }
}
